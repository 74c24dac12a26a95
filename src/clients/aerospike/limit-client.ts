import type { Limiter } from '../../core/limiter.js';
import { warnOnce } from '../../core/observers.js';
import type { OperationClass } from '../../core/operation-class.js';
import type { Outcome } from '../../core/outcome.js';
import { methodsBehind, patchMethods } from '../shared/patch-methods.js';
import { aerospikeErrorOf, rejectionOf } from './aerospike-errors.js';
import type { AddonCallback, AerospikeClient } from './aerospike-internals.js';
import { capacityOf } from './capacity.js';
import { AEROSPIKE_CLASSES, type AerospikeClass, commandOf, LIFECYCLE } from './commands.js';
import { deferClose } from './defer-close.js';
import { ABORTED, hookAnswer } from './hook-answer.js';
import { outcomeOfError, outcomeOfResults } from './outcome-of-answer.js';
import { RunningCommands } from './running-commands.js';
import { StaleConnections } from './stale-connections.js';

/**
 * Puts the gate in front of one client, at `asExec`: every command that uses the network passes there with the addon's
 * callback, and nothing else does. A command gives its permit back with the last call of that callback.
 */
export function limitClient(
  client: AerospikeClient,
  limiter: Limiter,
  batchWeight: ((keys: number) => number) | undefined,
): void {
  const { gate } = limiter;
  const behind = methodsBehind(client, ['asExec']);
  const AerospikeError = aerospikeErrorOf(client);
  const running = new RunningCommands(client);
  const capacity = capacityOf(client);
  const stale = new StaleConnections(client, running, gate.clock, capacity);
  const classes = Object.fromEntries(
    AEROSPIKE_CLASSES.map((name) => [name, gate.classes.get(name)]),
  ) as Record<AerospikeClass, OperationClass>;
  const life = deferClose(client, running, AerospikeError);

  patchMethods(client, {
    asExec(this: AerospikeClient, name: string, args: unknown[]) {
      const callback = args[args.length - 1] as AddonCallback;
      if (typeof callback !== 'function') return behind.asExec.call(this, name, args);
      if (name === LIFECYCLE) {
        args[args.length - 1] = life.watchConnect(callback);
        return behind.asExec.call(this, name, args);
      }
      const command = commandOf(name);
      const operationClass = classes[command.operationClass];
      let weight = command.exempt ? 0 : 1;
      if (command.keyed && batchWeight !== undefined) {
        weight = gate.clampWeight(operationClass, weightOf(args[0], batchWeight));
      }
      const refusal = gate.refusal(operationClass, weight);
      if (refusal !== undefined) {
        // The client puts off what is answered before the call returns.
        const options = { AerospikeError, stackTrace: this.captureStackTraces === true, weight };
        callback(rejectionOf(gate, operationClass, refusal, command.operation, options));
        return undefined;
      }
      if (stale.suspected && !command.exempt) {
        const inFlight = stale.exhausted();
        if (inFlight !== undefined) {
          const taken = { limit: capacity, inFlight };
          const options = { AerospikeError, stackTrace: this.captureStackTraces === true, weight, taken };
          callback(rejectionOf(gate, operationClass, 'limit', command.operation, options));
          return undefined;
        }
      }
      const startedAt = gate.clock.sample();
      const cohort = gate.admit(operationClass, weight, startedAt);
      running.begin();
      let open = true;
      const end = (error?: unknown, results?: unknown) => {
        if (!open) return;
        open = false;
        running.end();
        let outcome: Outcome;
        if (error) {
          if (isTimeout(error)) stale.timedOut();
          outcome = outcomeOfError(error, limiter, AerospikeError);
        } else outcome = outcomeOfResults(results, command, limiter, AerospikeError);
        gate.settle(operationClass, weight, cohort, startedAt, outcome);
      };
      // The command has made this list for the addon.
      args[args.length - 1] = hookAnswer(callback, command.answering, end);
      try {
        return behind.asExec.call(this, name, args);
      } catch (thrown) {
        // Bad arguments: the addon throws, and calls nothing back.
        end(ABORTED);
        throw thrown;
      }
    },
  });
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === ERR_TIMEOUT;
}

const ERR_TIMEOUT = 9;

/** Of a batch whose first argument is no list the addon will say so. An empty one is not the user's to weigh. */
function weightOf(keys: unknown, batchWeight: (keys: number) => number): number {
  if (!Array.isArray(keys) || keys.length === 0) return 1;
  try {
    const weight = batchWeight(keys.length);
    if (Number.isSafeInteger(weight) && weight >= 1) return weight;
    throw new RangeError(`batchWeight must return an integer >= 1, got ${String(weight)}`);
  } catch (error) {
    warnOnce('batchWeight', error);
    return 1;
  }
}
