/** Collects rejections that nobody handles, until disposed of. */
export function recordUnhandledRejections(): Disposable & { readonly errors: readonly unknown[] } {
  const errors: unknown[] = [];
  const record = (error: unknown) => errors.push(error);
  process.on('unhandledRejection', record);
  return {
    errors,
    [Symbol.dispose]: () => void process.removeListener('unhandledRejection', record),
  };
}
