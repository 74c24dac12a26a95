import { quantile } from './figures.js';
import { type Window, type Work, windowsInTurns } from './in-turns.js';
import { printTable } from './table.js';

/** A client with connections of its own, and what it is asked to do. */
export interface Contestant {
  readonly work: Work;
  close(): Promise<unknown>;
}

export interface Contest {
  readonly title: string;
  readonly bare: { readonly name: string; open(): Promise<Contestant> };
  readonly limited: { readonly name: string; open(): Promise<Contestant> };
  /** The least share of the bare client's throughput. */
  readonly goal: number;
}

/** To a bare client's, in the same round. */
interface Ratios {
  readonly throughput: number[];
  /** Of this process, for one operation: what is left of the noise where others keep the machine busy. */
  readonly cpu: number[];
}

/**
 * What a wrapper takes from its client's throughput.
 *
 * Ten connections are faster or slower than ten others for as long as they live, by more than a gate costs: so clients
 * are made anew many times, each time two plain ones, and the wrapped one is held against their mean in the same round.
 * How far the two plain ones differ is the noise.
 */
export async function compareThroughput(contest: Contest, quick: boolean): Promise<void> {
  const { title, bare, limited, goal } = contest;
  const again: Ratios = { throughput: [], cpu: [] };
  const wrapped: Ratios = { throughput: [], cpu: [] };
  for (let generation = 0; generation < (quick ? 4 : 16); generation++) {
    const clients = { bare: await bare.open(), again: await bare.open(), limited: await limited.open() };
    const windows = await windowsInTurns(
      { bare: clients.bare.work, again: clients.again.work, limited: clients.limited.work },
      { rounds: quick ? 10 : 20, windowMs: 100 },
    );
    windows.limited.forEach((window, round) => {
      const [one, other] = [windows.bare[round]!, windows.again[round]!];
      add(again, other, one);
      add(wrapped, window, {
        ns: (one.ns + other.ns) / 2,
        cpuNs: (one.cpuNs + other.cpuNs) / 2,
      });
    });
    for (const client of Object.values(clients)) await client.close();
  }
  console.log(`\n## ${title}\n`);
  printTable(
    ['client', 'throughput', 'quartiles', 'CPU', 'quartiles'],
    [
      [bare.name, '1.000x', '', '1.000x', ''],
      [`${bare.name} again`, ...spread(again.throughput), ...spread(again.cpu)],
      [limited.name, ...spread(wrapped.throughput), ...spread(wrapped.cpu)],
    ],
  );
  const throughput = quantile(wrapped.throughput, 0.5);
  const met = throughput >= goal ? 'met' : 'MISSED';
  console.log(
    `\ngoal: ${limited.name} >= ${goal}x the throughput of ${bare.name}: ${met} (${throughput.toFixed(3)}x)`,
  );
}

function add({ throughput, cpu }: Ratios, window: Window, base: Window): void {
  throughput.push(base.ns / window.ns);
  cpu.push(window.cpuNs / base.cpuNs);
}

function spread(ratios: readonly number[]): [string, string] {
  return [
    `${quantile(ratios, 0.5).toFixed(3)}x`,
    `${quantile(ratios, 0.25).toFixed(3)} to ${quantile(ratios, 0.75).toFixed(3)}`,
  ];
}

/** Work of one call at a time by so many callers side by side, each with its next as soon as one ends. */
export function sideBySide(callers: number, call: () => Promise<unknown>): Work {
  return async (count) => {
    let left = count;
    const caller = async () => {
      while (left-- > 0) await call();
    };
    await Promise.all(Array.from({ length: callers }, caller));
  };
}
