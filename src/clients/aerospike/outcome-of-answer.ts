import type { Limiter } from '../../core/limiter.js';
import { type Outcome, worseOutcome } from '../../core/outcome.js';
import type { AerospikeErrorClass } from './aerospike-internals.js';
import type { Command } from './commands.js';
import { ABORTED } from './hook-answer.js';
import { outcomeOfAerospikeError, outcomeOfStatus } from './outcomes.js';

/**
 * The outcome of a command that ended without an error. A batch is answered even if elements of it were not: it ended as
 * its worst element did.
 */
export function outcomeOfResults(
  results: unknown,
  command: Command,
  limiter: Limiter,
  AerospikeError: AerospikeErrorClass,
): Outcome {
  if (!command.keyed || !Array.isArray(results)) return 'success';
  const classified = limiter.gate.options.classify !== undefined;
  let worst: Outcome = 'success';
  for (const element of results as readonly BatchElement[]) {
    const { status } = element;
    if (status === OK) continue;
    const outcome = classified
      ? limiter.classify(errorOfElement(element, AerospikeError), outcomeOfAerospikeError)
      : outcomeOfStatus(status);
    worst = worseOutcome(worst, outcome);
  }
  return worst;
}

export function outcomeOfError(
  error: unknown,
  limiter: Limiter,
  AerospikeError: AerospikeErrorClass,
): Outcome {
  if (error === ABORTED) return 'ignored';
  const classified = limiter.gate.options.classify !== undefined;
  // The user's own function is shown what the user would be shown.
  const shown = classified ? AerospikeError.fromASError(error, null) : error;
  return limiter.classify(shown, outcomeOfAerospikeError);
}

interface BatchElement {
  readonly status: number;
  readonly inDoubt?: boolean;
}

const OK = 0;

function errorOfElement({ status, inDoubt }: BatchElement, AerospikeError: AerospikeErrorClass): Error {
  const error = new AerospikeError('an element of a batch');
  return Object.assign(error, { code: status, inDoubt: inDoubt === true });
}
