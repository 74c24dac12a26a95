import { BackpressureError, type RejectReason } from '../../core/backpressure-error.js';
import type { Gate } from '../../core/gate.js';
import type { OperationClass } from '../../core/operation-class.js';
import type { AerospikeClient, AerospikeErrorClass } from './aerospike-internals.js';

/**
 * The `AerospikeError` of the copy of aerospike that made this client: thrown, without any I/O, by its own `query` for a
 * client that is not connected. So the module need not be handed over, and any number of copies may be about.
 */
export function aerospikeErrorOf(client: AerospikeClient): AerospikeErrorClass {
  try {
    client.query.call({ isConnected: () => false } as AerospikeClient, '');
  } catch (error) {
    const thrown = (error as Error | undefined)?.constructor as AerospikeErrorClass | undefined;
    if (typeof thrown?.fromASError === 'function') return thrown;
  }
  throw new TypeError("floodgate: LimitedAerospike could not find this client's AerospikeError");
}

export interface RejectionOptions {
  readonly AerospikeError: AerospikeErrorClass;
  readonly stackTrace: boolean;
  /** How many permits the operation needs. */
  readonly weight: number;
  readonly taken?: { readonly limit: number; readonly inFlight: number } | undefined;
}

/**
 * Counts a rejection and makes its error, which is a {@link BackpressureError} in every respect *and* an `AerospikeError`:
 * the client wraps whatever is none into one, and the reason would be lost.
 *
 * @param options.stackTrace with a stack, even if the limiter's option says none
 * @param options.taken what the error says is in flight, and of how many, where that is not the gate's own account
 */
export function rejectionOf(
  gate: Gate,
  operationClass: OperationClass,
  reason: RejectReason,
  operation: string,
  { AerospikeError, stackTrace, taken = gate, weight }: RejectionOptions,
): Error {
  gate.countRejected(operationClass, reason, operation);
  const { name, retryAfterMs, stackTraces } = gate.options;
  const { limit, inFlight } = taken;
  const details = {
    ...{ reason, limiter: name, operation, limit, inFlight, weight, retryAfterMs },
    operationClass: operationClass.name,
    share: reason === 'bulkhead' ? operationClass.shareTaken : undefined,
  };
  // Made by the constructor of the one, with the prototype of the other.
  const error: Error = Reflect.construct(BackpressureError, [details], rejectionClassOf(AerospikeError));
  // Not by the constructor: for a class that is not on the stack, V8 leaves every frame out.
  if (stackTraces || stackTrace) Error.captureStackTrace(error, rejectionOf);
  return error;
}

const classes = new WeakMap<AerospikeErrorClass, AerospikeErrorClass>();

function rejectionClassOf(AerospikeError: AerospikeErrorClass): AerospikeErrorClass {
  let rejectionClass = classes.get(AerospikeError);
  if (rejectionClass === undefined) {
    rejectionClass = class AerospikeBackpressureError extends AerospikeError {};
    const { constructor: _, ...members } = Object.getOwnPropertyDescriptors(BackpressureError.prototype);
    Object.defineProperties(rejectionClass.prototype, members);
    for (const [key, value] of Object.entries(NOTHING_SENT)) {
      Object.defineProperty(rejectionClass.prototype, key, { value, writable: true, configurable: true });
    }
    classes.set(AerospikeError, rejectionClass);
  }
  return rejectionClass;
}

/** An `AerospikeError`'s own members, for an operation of which the server has heard nothing. */
const NOTHING_SENT = { command: null, func: null, file: null, line: null, inDoubt: false };
