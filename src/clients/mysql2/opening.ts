import type { BackpressureError } from '../../core/backpressure-error.js';
import type { Outcome } from '../../core/outcome.js';
import type { Permit } from '../../core/permit.js';
import type { MysqlContext } from './mysql-context.js';
import type { MysqlConnection } from './mysql-internals.js';
import { outcomeOfMysqlError } from './outcomes.js';

/** A connection on its way to the server, under a permit that goes over to the connection once there is one. */
export class Opening {
  readonly startedAt: number;
  #permit: Permit | undefined;

  private constructor({ gate, classes }: MysqlContext) {
    this.startedAt = gate.clock.now();
    this.#permit = gate.permitForCheckout(classes.connection, 1, this.startedAt);
  }

  static begin(context: MysqlContext): Opening | BackpressureError {
    const { gate, classes } = context;
    const refusal = gate.refusal(classes.connection, 1);
    return refusal === undefined ? new Opening(context) : gate.reject(classes.connection, refusal, 'connect');
  }

  /** The connection has the permit from now on. */
  handOver(): Permit | undefined {
    const permit = this.#permit;
    this.#permit = undefined;
    return permit;
  }

  /** Nothing has come of it. */
  fail(outcome: Outcome): void {
    this.handOver()?.release(outcome);
  }
}

/** Whether a connection that has just been made waits for its server. Its socket connects on a later tick. */
export function isOpening({ threadId, stream, _command }: MysqlConnection): boolean {
  return threadId == null && _command != null && stream.destroyed !== true && stream.destroy !== undefined;
}

/** Turns a connection back in the step in which it was made: the driver tells of it as of any failure to connect. */
export function refuseOpening({ stream }: MysqlConnection, rejection: BackpressureError): void {
  stream.destroy?.(rejection);
}

/** Whether this is mysql2/promise's `createConnection`. What it promises can't be got at before it has connected. */
export function promisesConnection({ name }: { readonly name: string }): boolean {
  return name === 'createConnectionPromise';
}

/**
 * Has a connection promised, under a permit.
 *
 * @param config mysql2's: it may ask for promises of another class
 * @param limit what is done with the connection that comes of it
 */
export function openPromised<T>(
  context: MysqlContext,
  config: { readonly Promise?: PromiseConstructor } | undefined,
  create: () => Promise<unknown>,
  limit: (client: unknown, opening: Opening) => T,
): Promise<T> {
  const opening = Opening.begin(context);
  if (!(opening instanceof Opening)) return (config?.Promise ?? Promise).reject(opening);
  let promise: Promise<unknown>;
  try {
    promise = create();
  } catch (thrown) {
    opening.fail('ignored');
    throw thrown;
  }
  return promise.then(
    (client) => {
      try {
        return limit(client, opening);
      } finally {
        opening.fail('ignored');
      }
    },
    (error) => {
      opening.fail(context.limiter.classify(error, outcomeOfMysqlError));
      throw error;
    },
  );
}
