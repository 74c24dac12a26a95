/** The caller went away: by its name, the error says nothing of the server. */
export function abortError(what: string): Error {
  const error = new Error(`floodgate: ${what}`);
  error.name = 'AbortError';
  return error;
}
