import { show } from '../core/option-checks.js';
import type { LimitController, LimitDecision, SampleWindow } from './controller.js';

/** In what way a controller failed: in a few words, and with what helps to find out why. */
export interface ControllerFailure {
  readonly failure: string;
  readonly detail: string;
}

/** What a controller wants for a limit, with a reason; or how it failed, since one of the user's may do anything. */
export function askController(
  controller: LimitController,
  window: SampleWindow,
): LimitDecision | ControllerFailure {
  try {
    // Frozen: the governor goes by the same window afterwards.
    const answer: unknown = controller.onWindow(Object.freeze(window));
    const { limit, reason } = (answer ?? {}) as Partial<LimitDecision>;
    if (Number.isFinite(limit)) return { limit: limit!, reason: textOf(reason) };
    // An async one: what it rejects with must not end the process.
    if (answer instanceof Promise) answer.catch(() => {});
    return {
      failure: `the controller answered ${limit === undefined ? show(answer) : `the limit ${show(limit)}`}`,
      detail: 'onWindow(window) returns { limit, reason }, the limit a finite number of permits.',
    };
  } catch (error) {
    const isError = error instanceof Error;
    return {
      failure: `the controller threw ${firstLineOf(isError ? error.message : show(error))}`,
      detail: (isError && error.stack) || '',
    };
  }
}

function textOf(reason: unknown): string {
  return reason === undefined || reason === null ? 'the controller gave no reason' : String(reason);
}

function firstLineOf(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : line;
}

const LONGEST = 80;
