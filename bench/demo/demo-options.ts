import { parseArgs } from 'node:util';
import { DemoError } from './demo-error.js';

export interface DemoOptions {
  /** How long each contender is under load. */
  readonly seconds: number;
  /** How many times the database's capacity is offered. */
  readonly times: number;
  readonly help: boolean;
}

export const usage = `A game day on a real PostgreSQL, which is started for it and removed afterwards.

  npm run demo -- [--seconds N] [--times X]

  --seconds N  how long each contender is under load, 3 to 600 (15)
  --times X    how many times the database's capacity is offered, 0.1 to 10 (3)
  --help       this text

FLOODGATE_PG_URL=postgres://... takes a server that is there already (nothing is written to it),
FLOODGATE_SERVERS=local|embedded|container says where to get one: this machine, npm, Docker.
The page with the plots is written to demo-report.html in the current folder.`;

/** @throws DemoError that says what is wrong with a flag */
export function parseDemoOptions(args: readonly string[]): DemoOptions {
  const { seconds, times, help } = read(args);
  return {
    seconds: numberIn('--seconds', seconds, 3, 600, Number.isInteger),
    times: numberIn('--times', times, 0.1, 10, Number.isFinite),
    help,
  };
}

function read(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '15' },
        times: { type: 'string', default: '3' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new DemoError(`${(error as Error).message}\n\n${usage}`, USAGE, { cause: error });
  }
}

function numberIn(
  flag: string,
  text: string,
  least: number,
  most: number,
  fits: (n: number) => boolean,
): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (fits(number) && number >= least && number <= most) return number;
  const kind = fits === Number.isInteger ? 'a whole number' : 'a number';
  throw new DemoError(
    `${flag} must be ${kind} from ${least} to ${most}, got ${JSON.stringify(text)}\n\n${usage}`,
    USAGE,
  );
}

/** As shells and most tools have it for a wrong command line. */
const USAGE = 2;
