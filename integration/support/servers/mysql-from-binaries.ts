import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { installMariadb } from './mariadb-install.js';
import { type MysqlBinaries, mysqlBinaries } from './mysql-binaries.js';
import { MysqlPortTaken, MysqlProcess } from './mysql-process.js';
import { DATABASE, type MysqlOptions, type MysqlServer } from './mysql-server.js';
import { mysqlArguments } from './mysql-settings.js';
import { waitForMysql } from './mysql-wait.js';
import { ownedServer } from './owned-server.js';
import { runAs } from './run-as.js';
import { makeRunFolder } from './run-folder.js';
import { type ServerUser, serverUser } from './server-user.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

const USER = 'floodgate';

/**
 * `$line` holds the server's process. It is killed outright, stopped or not: nothing of it is kept. A dead process
 * counts as gone even if nobody buries it, as in a container whose first process is not an init.
 */
const cleanup = `
alive() { kill -0 "$1" && ! grep -qs '^State:[[:space:]]*Z' "/proc/$1/status"; }
if [ -n "$line" ]; then
  kill -KILL "$line"
  tries=100
  while alive "$line" && [ $tries -gt 0 ]; do sleep 0.05; tries=$((tries - 1)); done
fi
rm -rf "$1"`;

/**
 * A server of our own from binaries on this machine: in a fresh folder, on a free port, never as root, with a password
 * nobody else knows. A failure on the way leaves nothing behind either.
 */
export async function mysqlFromBinaries(options: MysqlOptions): Promise<MysqlServer> {
  if (process.platform === 'win32') throw new Error('needs a POSIX system (signals, users)');
  const began = performance.now();
  let user = await serverUser(['mysql']);
  await mysqlBinaries(user, '/').catch(async (missing: Error) => {
    await installMariadb(options.log).catch((error: Error) => {
      throw new Error(`${missing.message}; ${error.message}`, { cause: error });
    });
    // The package may have brought a user for its server.
    user = await serverUser(['mysql']);
  });
  const folder = await makeRunFolder('floodgate-mysql-', user);
  const watchdog = await startWatchdog(cleanup, folder);
  try {
    const binaries = await mysqlBinaries(user, folder);
    options.log?.(`local: starting ${binaries.server} as user ${user.name}`);
    const password = randomBytes(12).toString('hex');
    await createDataFolder(binaries, user, folder, password, watchdog);
    const { process, port, url } = await startSomewhere(
      { server: binaries.server, user, folder, watchdog },
      password,
      options,
    );
    const version = await waitForMysql({ url, deadlineMs: 10_000 });
    const startedInMs = Math.round(performance.now() - began);
    const facts = { url, host: '127.0.0.1', port, user: USER, password, database: DATABASE };
    return ownedServer({ ...facts, way: 'local', version, startedInMs }, process) as MysqlServer;
  } catch (error) {
    await watchdog.release();
    throw error;
  }
}

/** Also writes what the server does first on every start: to know the user and the database of the tests. */
async function createDataFolder(
  { server, installer }: MysqlBinaries,
  user: ServerUser,
  folder: string,
  password: string,
  watchdog: Watchdog,
): Promise<void> {
  const data = `--datadir=${join(folder, 'data')}`;
  const [file, args] =
    installer === undefined
      ? [server, ['--no-defaults', '--initialize-insecure', data]]
      : [installer, ['--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db', data]];
  const onPid = (pid: number) => watchdog.note(`${pid}`);
  await runAs(user, file, args, { cwd: folder, deadlineMs: 120_000, onPid });
  watchdog.note('');
  const statements = [
    // Not root, of which there is one for each local address, without a password.
    `create user if not exists '${USER}'@'%' identified by '${password}'`,
    `grant all on *.* to '${USER}'@'%' with grant option`,
    `create database if not exists ${DATABASE}`,
  ];
  // One statement a line: the server reads it so.
  await writeFile(join(folder, 'init.sql'), `${statements.join(';\n')};\n`, { mode: 0o644 });
}

async function startSomewhere(
  place: { server: string; user: ServerUser; folder: string; watchdog: Watchdog },
  password: string,
  options: MysqlOptions,
) {
  const { folder } = place;
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const url = `mysql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;
    const forced = {
      datadir: join(folder, 'data'),
      port,
      bind_address: '127.0.0.1',
      // Relative to the data folder: its own path may be too long for a socket.
      socket: 'mysql.sock',
      pid_file: join(folder, 'server.pid'),
      init_file: join(folder, 'init.sql'),
    };
    const args = ['--no-defaults', ...mysqlArguments(options.settings ?? {}, forced)];
    const process = new MysqlProcess({ ...place, args, url });
    try {
      await process.startOnce();
      return { process, port, url };
    } catch (error) {
      if (!(error instanceof MysqlPortTaken) || attempt === 5) throw error;
    }
  }
}
