import type { AddonCallback } from './aerospike-internals.js';
import type { Answering } from './commands.js';

/** In place of an error: nothing was sent, or the caller has aborted a stream. */
export const ABORTED = Symbol('aborted');

/**
 * How a command ended.
 *
 * @param error the addon's error, or {@link ABORTED}; nothing if all is well
 */
export type End = (error?: unknown, results?: unknown) => void;

/**
 * The callback to give to the addon: it passes everything on, and calls `end` before the last answer is passed on (after
 * it, where the answer to an answer decides), so that whoever gets it can use the permit. It may call `end` again.
 */
export function hookAnswer(callback: AddonCallback, answering: Answering, end: End): AddonCallback {
  switch (answering) {
    case 'once':
      return (...answer) => {
        end(answer[0], answer[1]);
        return callback(...answer);
      };
    case 'records':
      return (...answer) => {
        const [error, record] = answer;
        if (isError(error)) end(error);
        else if (!record) end();
        const goOn = callback(...answer);
        if (goOn === false) end(ABORTED);
        return goOn;
      };
    case 'values':
      return (...answer) => {
        if (isError(answer[0])) end(answer[0]);
        else if (answer.length === 0) end();
        return callback(...answer);
      };
    default:
      return answering satisfies never;
  }
}

/** The addon's error object may also say that all is well. */
export function isError(error: unknown): boolean {
  return Boolean(error) && (error as { code?: unknown }).code !== 0;
}
