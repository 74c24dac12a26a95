/** Catches unhandled rejections, in place of the test runner, until it is disposed of. */
export function unhandledRejections(): Disposable & { readonly messages: string[] } {
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  const messages: string[] = [];
  process.on('unhandledRejection', (error: Error) => messages.push(error.message));
  return {
    messages,
    [Symbol.dispose]() {
      process.removeAllListeners('unhandledRejection');
      for (const listener of others) process.on('unhandledRejection', listener);
    },
  };
}
