import { readdir, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { runAs } from '../shared/run-as.js';
import type { ServerUser } from '../shared/server-user.js';
import { type PostgresBinaries, usableBinaries } from './usable-binaries.js';

/** Where packages put each version in a folder of its own, and often none of them on the PATH. */
const packaged = [
  { parent: '/usr/lib/postgresql', child: /^[\d.]+$/ }, // Debian, Ubuntu
  { parent: '/usr', child: /^pgsql-\d+$/ }, // PGDG for Red Hat and its kin
  { parent: '/opt/homebrew/opt', child: /^postgresql(@\d+)?$/ }, // Homebrew on Apple silicon
  { parent: '/usr/local/opt', child: /^postgresql(@\d+)?$/ }, // Homebrew on Intel
];

/** The newest PostgreSQL whose `initdb` and `postgres` this machine can run. Its own databases are not touched. */
export async function localBinaries(user: ServerUser, cwd: string): Promise<PostgresBinaries> {
  const found: PostgresBinaries[] = [];
  const complaints: string[] = [];
  for (const bin of await candidates(user, cwd)) {
    try {
      found.push(await usableBinaries(bin, user, cwd));
    } catch (error) {
      complaints.push((error as Error).message);
    }
  }
  const newest = found.sort((a, b) => b.major - a.major)[0];
  if (newest !== undefined) return newest;
  throw new Error(complaints.join('; ') || 'no postgres and initdb on the PATH or where packages put them');
}

async function candidates(user: ServerUser, cwd: string): Promise<Set<string>> {
  const folders: string[] = [];
  for (const { parent, child } of packaged) {
    const names = (await readdir(parent).catch(() => [])).filter((name) => child.test(name));
    folders.push(...names.map((name) => join(parent, name, 'bin')));
  }
  const told = await runAs(user, 'pg_config', ['--bindir'], { cwd, deadlineMs: 10_000 }).catch(() => '');
  folders.push(told.trim(), ...(process.env.PATH ?? '').split(delimiter));
  // A link on the PATH leads to the folder where the rest of the installation is.
  const servers = await Promise.all(
    folders.filter(Boolean).map((folder) => realpath(join(folder, 'postgres')).catch(() => undefined)),
  );
  return new Set(servers.filter((path) => path !== undefined).map((path) => join(path, '..')));
}
