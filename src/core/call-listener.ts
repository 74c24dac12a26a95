import { warnOnce } from './observers.js';

/**
 * Calls a listener of the user's. What it throws, or rejects with if it is asynchronous, is reported once as a process
 * warning: a log line that fails must not end the process.
 *
 * @param name of the option, for the warning
 */
export function callListener<Event>(
  name: string,
  listener: ((event: Event) => unknown) | undefined,
  event: Event,
): void {
  try {
    const result = listener?.(event);
    if (result instanceof Promise) result.catch((error) => warnOnce(name, error));
  } catch (error) {
    warnOnce(name, error);
  }
}
