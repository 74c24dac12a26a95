import { parseArgs } from 'node:util';

export interface OverloadOptions {
  readonly quick: boolean;
  /** Tells why the adaptive limits moved. */
  readonly history: boolean;
  /** Only what has this in its name. */
  readonly filter: string;
  readonly help: boolean;
}

export const usage = `Real servers under open-loop load: bare clients, fixed limits, adaptive ones.

  npm run overload -- [--quick] [--history] [filter]

  --quick    only 3 times the capacity and the lock storm, in shorter runs: 2 minutes or
             so instead of 15; with a filter, whatever fits it
  --history  why each adaptive limit moved, with the figures it moved by
  filter     only what has this in its name: postgres, redis, mariadb, aerospike,
             mix-shift, lock-storm, half-the-machine, fan-out,
             paused-postgres, paused-redis

The whole, without --quick and filter, writes bench/overload/REPORT.md.`;

/** @throws TypeError for a flag it does not know */
export function parseOverloadOptions(args: readonly string[]): OverloadOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      history: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  });
  if (positionals.length > 1) throw new TypeError(`one filter, got ${positionals.join(' ')}`);
  return { ...values, filter: positionals[0] ?? '' };
}
