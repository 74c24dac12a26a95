import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startPostgres } from '../../integration/support/servers/postgres/start-postgres.js';
import { bytes } from './figures.js';
import type { Held } from './hold-under-overload.js';
import { printTable } from './table.js';

const LIMIT = 500;

/** What a pool holds in memory under ten times the load that it can serve. Each pool in a process of its own. */
export async function waitingMemory(quick: boolean): Promise<void> {
  const seconds = quick ? 5 : 60;
  const server = await startPostgres();
  const held: [string, Held][] = [];
  try {
    for (const kind of ['pg.Pool', 'LimitedPool'])
      held.push([kind, await measure(kind, server.url, seconds)]);
  } finally {
    await server.close();
  }
  const rows = held.map(([kind, { offered, answered, waiting, heapGrowth }]) => [
    kind,
    String(offered),
    String(answered),
    String(waiting),
    bytes(heapGrowth),
    waiting === 0 ? '-' : bytes(heapGrowth / waiting),
  ]);
  console.log(
    `\n## heap after ${seconds} s at 10 times the capacity (limit ${LIMIT}, full collection before each reading)\n`,
  );
  printTable(['pool', 'offered', 'answered', 'unanswered', 'heap growth', 'per unanswered'], rows);
  const [, bare] = held[0]!;
  const [, limited] = held[1]!;
  const perWaiting = bare.heapGrowth / bare.waiting;
  // Twice what the bare pool needs for as many, for the gate's own records.
  const bound = 2 * perWaiting * LIMIT + 2 ** 20;
  const met = limited.waiting <= LIMIT && limited.heapGrowth <= bound;
  console.log(`\ngoal: heap bounded by the limit (${bytes(bound)}): ${met ? 'met' : 'MISSED'}`);
}

async function measure(kind: string, url: string, seconds: number): Promise<Held> {
  const script = fileURLToPath(new URL('hold-under-overload.js', import.meta.url));
  const args = ['--expose-gc', script, kind, url, String(seconds), String(LIMIT)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: (seconds + 60) * 1000 });
  return JSON.parse(stdout);
}
