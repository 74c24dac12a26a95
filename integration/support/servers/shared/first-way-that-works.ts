import type { ServerOptions } from './server.js';

/** How one kind of server is got. */
export interface WaysToServer<Way extends string, Options, Server> {
  /** As in "No PostgreSQL server to be had". */
  readonly name: string;
  readonly ways: Readonly<Record<Way, (options: Options) => Promise<Server>>>;
  /** Holds the address of a server that is there already. */
  readonly addressVariable: string;
  /** The ways to try for each value of FLOODGATE_SERVERS. `address` counts where one is set, and then alone. */
  readonly order: Readonly<Record<'unset' | 'local' | 'embedded' | 'container', readonly Way[]>>;
  /** How to get a server, for when none of them works. */
  readonly advice: string;
}

/** A server that answers, got in the first way that works; where none does, an error that says how to get one. */
export async function firstWayThatWorks<Way extends string, Options extends ServerOptions<Way>, Server>(
  kind: WaysToServer<Way, Options, Server>,
  options: Options,
): Promise<Server> {
  const failures: Error[] = [];
  for (const way of waysToTry(kind, options)) {
    try {
      return await kind.ways[way](options);
    } catch (error) {
      const { message } = error as Error;
      failures.push(new Error(`${way}: ${message}`, { cause: error }));
      options.log?.(`${way}: ${message}`);
    }
  }
  const reasons = failures.map((failure) => `  - ${failure.message}`).join('\n');
  throw new AggregateError(failures, `No ${kind.name} server to be had:\n${reasons}\n${kind.advice}`);
}

function waysToTry<Way extends string, Options extends ServerOptions<Way>, Server>(
  { order, addressVariable }: WaysToServer<Way, Options, Server>,
  { way, dedicated }: Options,
): readonly Way[] {
  if (way !== undefined) return [way];
  const ways = order[forcedWay() ?? 'unset'];
  const addresses = ways.filter((each) => each === 'address');
  // An address that is set and does not answer is a mistake to hear of, not one to work around.
  if (addresses.length > 0 && process.env[addressVariable] && !dedicated) return addresses;
  return ways.filter((each) => each !== 'address');
}

function forcedWay(): 'local' | 'embedded' | 'container' | undefined {
  const forced = process.env.FLOODGATE_SERVERS;
  switch (forced) {
    case 'local':
    case 'embedded':
    case 'container':
      return forced;
    case undefined:
    case '':
      return undefined;
    default:
      throw new Error(
        `FLOODGATE_SERVERS must be local, embedded or container, got ${JSON.stringify(forced)}`,
      );
  }
}
