/** Takes exceptions that nobody catches, in place of the test runner, for as long as it is in scope. */
export function recordUncaughtExceptions(): Disposable & { readonly messages: string[] } {
  const messages: string[] = [];
  const others = process.rawListeners('uncaughtException') as NodeJS.UncaughtExceptionListener[];
  const record = (error: Error) => messages.push(error.message);
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', record);
  return {
    messages,
    [Symbol.dispose]() {
      process.removeListener('uncaughtException', record);
      for (const other of others) process.on('uncaughtException', other);
    },
  };
}
