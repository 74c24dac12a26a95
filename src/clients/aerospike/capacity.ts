import type { AerospikeClient } from './aerospike-internals.js';

/** As aerospike documents `maxConnsPerNode`. */
const DEFAULT_CONNECTIONS = 100;
/** ADR-0006: 128 connections with 8 operations each, rounded. */
const USUAL_LIMIT = 1000;

/**
 * How many operations at a time a client can carry, whatever their keys: each takes a connection, and one node has
 * `maxConnsPerNode` of them. Past that, the client fails at once with error -7. With several nodes it can carry more as
 * long as the keys are spread, but which node an operation goes to is known to the addon alone.
 */
export function capacityOf(client: AerospikeClient): number {
  return Math.max(1, client.config?.maxConnsPerNode ?? DEFAULT_CONNECTIONS);
}

export function defaultLimit(client: AerospikeClient): number {
  return Math.min(USUAL_LIMIT, capacityOf(client));
}

/** Tells whoever asked for more than the client can carry. Once for each client. */
export function warnAboveCapacity(client: AerospikeClient, maxConcurrentOps: number): void {
  const capacity = capacityOf(client);
  if (maxConcurrentOps <= capacity) return;
  process.emitWarning(
    `maxConcurrentOps is ${maxConcurrentOps}, but the Aerospike client has ${capacity} connections for each node ` +
      `(maxConnsPerNode): the operation after the ${capacity}th on one node fails with error -7 ` +
      '(ERR_NO_MORE_CONNECTIONS). Raise maxConnsPerNode, or lower maxConcurrentOps',
    { type: 'FloodgateWarning', code: 'FLOODGATE_AEROSPIKE_CONNECTIONS' },
  );
}
