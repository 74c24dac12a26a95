import type { Gate } from './gate.js';
import { abortSignal, checkOptions, millisecondsFrom } from './option-checks.js';

export interface DrainOptions {
  /** Longest wait, in milliseconds from 0. Without it, the wait ends when the last operation does. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait with a rejection; the limiter goes on draining. */
  readonly signal?: AbortSignal | undefined;
}

const CHECKS = { timeoutMs: millisecondsFrom(0), signal: abortSignal };

/** Stops admission and waits, at most as long as the options say. Bad options reject and change nothing. */
export async function drainGate(gate: Gate, options: DrainOptions): Promise<void> {
  checkOptions('drain', options, CHECKS);
  const { timeoutMs, signal } = options;
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  let stopWaiting: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      stopWaiting = gate.drain(resolve);
      if (signal !== undefined) {
        onAbort = () => reject(signal.reason);
        if (signal.aborted) onAbort();
        else signal.addEventListener('abort', onAbort, { once: true });
      }
      // Not unreferenced: somebody waits for it, and a process that exits first would take the work along.
      if (timeoutMs !== undefined) {
        timer = setTimeout(() => {
          gate.drainDeadline();
          resolve();
        }, timeoutMs);
      }
    });
  } finally {
    stopWaiting?.();
    clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
  }
}
