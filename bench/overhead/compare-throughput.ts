import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { quantile } from './figures.js';
import { type Measure, measureOf, type Window, type Work, windowsInTurns } from './in-turns.js';
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
  /**
   * All in one process. For one call at a time: how long that takes is a matter of the core on which each is woken, and two
   * processes differ in that by more than a gate costs.
   */
  readonly together?: boolean;
  /** The least share of the bare client's throughput. */
  readonly goal: number;
}

/** A module that has contests on a server. It is loaded by the contestants, too. */
export interface ContestModule {
  contestsAt(server: string): Promise<readonly Contest[]>;
}

/** To a bare client's, in the same round. */
interface Ratios {
  readonly throughput: number[];
  /** Of its process, for one operation: what is left of the noise where others keep the machine busy. */
  readonly cpu: number[];
}

/** Where contests take place. */
export interface ContestServer {
  /** What the contests of a module are told of it. */
  readonly url: string;
  close(): Promise<unknown>;
}

type Side = 'bare' | 'limited';

/**
 * What a wrapper takes from its client's throughput, in each of the contests of a module.
 *
 * Ten connections are faster or slower than ten others for as long as they live, by more than a gate costs: so clients
 * are made anew several times, each time two plain ones, and the wrapped one is held against their mean in the same round.
 * How far the two plain ones differ is the noise. They work in turns, each in a process of its own, as in real life: in one
 * process they share the client's compiled code, which then has to serve both.
 *
 * @param module its URL
 */
export async function compareThroughput(
  module: string,
  start: () => Promise<ContestServer>,
  quick: boolean,
): Promise<void> {
  const { contestsAt } = (await import(module)) as ContestModule;
  const server = await start();
  try {
    for (const [number, contest] of (await contestsAt(server.url)).entries()) {
      const open = (side: Side) =>
        contest.together ? openHere(contest, side) : openContestant(module, server.url, number, side);
      await compare(contest, open, quick);
    }
  } finally {
    await server.close();
  }
}

async function compare(
  contest: Contest,
  open: (side: Side) => Promise<OpenContestant>,
  quick: boolean,
): Promise<void> {
  const again: Ratios = { throughput: [], cpu: [] };
  const wrapped: Ratios = { throughput: [], cpu: [] };
  for (let generation = 0; generation < (quick ? 2 : 6); generation++) {
    const clients = [await open('bare'), await open('bare'), await open('limited')] as const;
    const measures = { bare: clients[0].measure, again: clients[1].measure, limited: clients[2].measure };
    // Until their code is compiled.
    await windowsInTurns(measures, { rounds: 2, windowMs: 400 });
    const windows = await windowsInTurns(measures, { rounds: quick ? 5 : 8, windowMs: 400 });
    windows.limited.forEach((window, round) => {
      const [one, other] = [windows.bare[round]!, windows.again[round]!];
      add(again, other, one);
      add(wrapped, window, {
        ns: (one.ns + other.ns) / 2,
        cpuNs: (one.cpuNs + other.cpuNs) / 2,
      });
    });
    for (const client of clients) await client.close();
  }
  report(contest, again, wrapped);
}

interface OpenContestant {
  readonly measure: Measure;
  close(): Promise<unknown>;
}

async function openHere(contest: Contest, side: Side): Promise<OpenContestant> {
  const { work, close } = await contest[side].open();
  return { measure: measureOf(work), close };
}

async function openContestant(
  module: string,
  server: string,
  number: number,
  side: Side,
): Promise<OpenContestant> {
  const entry = fileURLToPath(new URL('./contestant.js', import.meta.url));
  const child = fork(entry, [module, server, String(number), side]);
  await nextMessage(child);
  return {
    measure(count) {
      child.send(count);
      return nextMessage(child) as Promise<Window>;
    },
    async close() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a contestant ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.removeListener('exit', onExit);
      resolve(message);
    });
  });
}

function report({ title, bare, limited, goal }: Contest, again: Ratios, wrapped: Ratios): void {
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
