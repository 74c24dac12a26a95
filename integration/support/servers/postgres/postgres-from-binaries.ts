import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRunFolder, type RunPlace, setUp } from '../shared/in-run-folder.js';
import { ownedServer } from '../shared/owned-server.js';
import { serverUser } from '../shared/server-user.js';
import { sqlPlace } from '../shared/sql-server.js';
import { startServerProcess } from '../shared/start-server-process.js';
import { embeddedBinaries } from './embedded-binaries.js';
import { localBinaries } from './local-binaries.js';
import { postgresArguments } from './postgres-arguments.js';
import { type PostgresOptions, type PostgresServer, type StopMode, stopSignals } from './postgres-server.js';
import { waitForPostgres } from './wait-for-postgres.js';

const finders = { local: localBinaries, embedded: embeddedBinaries };

/**
 * A server of our own from binaries on this machine: in a fresh folder, on a free port, with a password nobody
 * else knows. A failure on the way leaves nothing behind either.
 */
export async function postgresFromBinaries(
  way: keyof typeof finders,
  options: PostgresOptions,
): Promise<PostgresServer> {
  if (process.platform === 'win32') throw new Error('needs a POSIX system (signals, users)');
  const began = performance.now();
  const user = await serverUser(['postgres']);
  return inRunFolder('floodgate-postgres-', user, 'QUIT', async (place) => {
    const { bin } = await finders[way](user, place.folder);
    options.log?.(`${way}: starting PostgreSQL from ${bin} as user ${user.name}`);
    const password = randomBytes(12).toString('hex');
    await createCluster(bin, place, password);
    const urlAt = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const started = await startServerProcess<StopMode>((port) => ({
      ...place,
      name: 'PostgreSQL',
      program: join(bin, 'postgres'),
      args: commandLine(place.folder, port, options),
      answers: (givenUp) => waitForPostgres({ url: urlAt(port), deadlineMs: 60_000, givenUp }),
      portTaken: /Address already in use/,
      stopSignals,
      crash: 'immediate',
    }));
    const startedInMs = Math.round(performance.now() - began);
    const facts = { ...sqlPlace(urlAt(started.port), 5432), way, version: started.version, startedInMs };
    return ownedServer('PostgreSQL', facts, started.process, 'fast');
  });
}

/** Half a second; a shared template folder would save a quarter of it, and leave a folder behind. */
async function createCluster(bin: string, place: RunPlace, password: string): Promise<void> {
  const pwfile = join(place.folder, 'password');
  await writeFile(pwfile, password, { mode: 0o644 });
  const how = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const data = `--pgdata=${join(place.folder, 'data')}`;
  await setUp(place, join(bin, 'initdb'), [data, '--username=postgres', `--pwfile=${pwfile}`, ...how]);
}

function commandLine(folder: string, port: number, { settings = {} }: PostgresOptions): string[] {
  // TCP only: a socket file would lie outside the folder, or in a path too long for one.
  return ['-D', join(folder, 'data'), ...postgresArguments(settings, { port, unix_socket_directories: '' })];
}
