import type { Outcome } from '../../core/outcome.js';
import type { Admission } from './admission.js';
import type { Hold } from './hold.js';
import { HELD, type RedisCommand } from './ioredis-internals.js';
import { isOffer } from './operations.js';
import { isAnswerOwed, isMadeUp } from './owed-answers.js';

/**
 * Ties a permit to a command: it comes back when ioredis hands over the server's answer, or gives the command up. By the
 * command's own `resolve` and `reject`: a branch of its promise would switch off `unhandledRejection` for the user's.
 *
 * A timer that answers the caller (`commandTimeout`, `blockingTimeout`) changes nothing: ioredis still sends the command,
 * or waits for its answer, and settles it a second time then.
 */
export function hookCommand(admission: Admission, command: RedisCommand, hold: Hold): void {
  const { resolve, reject } = command;
  command[HELD] = hold;
  // Named, and not written into the assignments: V8 puts functions that are written there into its old space, where they
  // and all that they can reach (the answer, its caller's promise) stay until the next full garbage collection.
  const resolved: typeof resolve = (value) => {
    if (isMadeUp(admission.client, command, value)) hold.callerGone = true;
    else hold.settle(admission.outcomeOf(command, value));
    return resolve.call(command, value);
  };
  const rejected: typeof reject = (error) => {
    if (isAnswerOwed(admission, error)) hold.callerGone = true;
    else if (admission.resends.follows(command, error)) admission.resends.offer(command, hold);
    else hold.settle(outcomeOfError(admission, command, error));
    return reject.call(command, error);
  };
  command.resolve = resolved;
  command.reject = rejected;
}

function outcomeOfError(admission: Admission, command: RedisCommand, error: unknown): Outcome {
  const outcome = admission.classify(error);
  return outcome === 'failed' && isOffer(command) ? 'ignored' : outcome;
}
