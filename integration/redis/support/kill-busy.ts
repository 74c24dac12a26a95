import type { Redis } from 'ioredis';
import { started } from './clients.js';

/** Connections that no limiter knows of. */
export interface Operators {
  readonly operator: Redis;
  readonly other: Redis;
}

/** Kills the connection while the server is busy, so that what is sent meanwhile is on the wire. */
export async function killBusy(
  { operator, other }: Operators,
  redis: Redis,
  meanwhile: () => Promise<unknown>[],
): Promise<Promise<unknown>[]> {
  const id = await redis.client('ID');
  const busy = other.call('DEBUG', 'SLEEP', '0.05');
  const killed = operator.client('KILL', 'ID', id);
  const calls = started(meanwhile());
  await Promise.all([busy, killed]);
  return calls;
}
