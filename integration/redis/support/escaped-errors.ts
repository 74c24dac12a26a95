import type { EventEmitter } from 'node:events';

type Listener = (error: Error) => void;

/** Catches the errors that escape, in place of the test runner, until it is disposed of. */
function escaped(event: string): Disposable & { readonly messages: string[] } {
  const runner: EventEmitter = process;
  const others = runner.listeners(event) as Listener[];
  runner.removeAllListeners(event);
  const messages: string[] = [];
  runner.on(event, (error: Error) => messages.push(error.message));
  return {
    messages,
    [Symbol.dispose]() {
      runner.removeAllListeners(event);
      for (const listener of others) runner.on(event, listener);
    },
  };
}

export const unhandledRejections = () => escaped('unhandledRejection');
export const uncaughtExceptions = () => escaped('uncaughtException');
