import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { embeddedBinaries } from './embedded-binaries.js';
import { freePort } from './free-port.js';
import { localBinaries } from './local-binaries.js';
import { ownedServer } from './owned-server.js';
import type { PostgresOptions, PostgresServer } from './postgres-server.js';
import { postgresArguments } from './postgres-settings.js';
import { PortTaken, Postmaster } from './postmaster.js';
import { runAs } from './run-as.js';
import { makeRunFolder } from './run-folder.js';
import { type ServerUser, serverUser } from './server-user.js';
import { waitForPostgres } from './wait-for-postgres.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

const finders = { local: localBinaries, embedded: embeddedBinaries };

/**
 * `$line` holds the server's process, then its children if they were paused. A dead process counts as gone
 * even if nobody buries it, as in a container whose first process is not an init.
 */
const cleanup = `
alive() { kill -0 "$1" && ! grep -qs '^State:[[:space:]]*Z' "/proc/$1/status"; }
set -- "$1" $line
folder=$1; shift
if [ $# -gt 0 ]; then
  kill -CONT "$@"
  kill -QUIT "$1"
  tries=100
  while alive "$1" && [ $tries -gt 0 ]; do sleep 0.05; tries=$((tries - 1)); done
  alive "$1" && kill -KILL "$@"
fi
rm -rf "$folder"`;

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
  const folder = await makeRunFolder('floodgate-postgres-', user);
  const watchdog = await startWatchdog(cleanup, folder);
  try {
    const { bin } = await finders[way](user, folder);
    options.log?.(`${way}: starting PostgreSQL from ${bin} as user ${user.name}`);
    const password = randomBytes(12).toString('hex');
    await createCluster(bin, user, folder, password, watchdog);
    const { postmaster, port, url } = await startSomewhere(
      { bin, user, folder, watchdog },
      password,
      options,
    );
    const version = await waitForPostgres({ url, deadlineMs: 10_000 });
    const startedInMs = Math.round(performance.now() - began);
    return ownedServer(
      {
        url,
        host: '127.0.0.1',
        port,
        user: 'postgres',
        password,
        database: 'postgres',
        way,
        version,
        startedInMs,
      },
      postmaster,
    );
  } catch (error) {
    await watchdog.release();
    throw error;
  }
}

/** Half a second; a shared template folder would save a quarter of it, and leave a folder behind. */
async function createCluster(
  bin: string,
  user: ServerUser,
  folder: string,
  password: string,
  watchdog: Watchdog,
): Promise<void> {
  const pwfile = join(folder, 'password');
  await writeFile(pwfile, password, { mode: 0o644 });
  const how = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const args = [`--pgdata=${join(folder, 'data')}`, '--username=postgres', `--pwfile=${pwfile}`, ...how];
  const onPid = (pid: number) => watchdog.note(`${pid}`);
  await runAs(user, join(bin, 'initdb'), args, { cwd: folder, deadlineMs: 120_000, onPid });
  watchdog.note('');
}

async function startSomewhere(
  place: { bin: string; user: ServerUser; folder: string; watchdog: Watchdog },
  password: string,
  options: PostgresOptions,
) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    // TCP only: a socket file would lie outside the folder, or in a path too long for one.
    const forced = { port, unix_socket_directories: '' };
    const args = ['-D', join(place.folder, 'data'), ...postgresArguments(options.settings ?? {}, forced)];
    const postmaster = new Postmaster({ ...place, args, url });
    try {
      await postmaster.startOnce();
      return { postmaster, port, url };
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === 5) throw error;
    }
  }
}
