import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRunFolder, type RunPlace, setUp } from '../shared/in-run-folder.js';
import { installPackage } from '../shared/install-package.js';
import { ownedServer } from '../shared/owned-server.js';
import { serverUser } from '../shared/server-user.js';
import { sqlPlace } from '../shared/sql-server.js';
import { startServerProcess } from '../shared/start-server-process.js';
import { mysqlArguments } from './mysql-arguments.js';
import { type MysqlBinaries, mysqlBinaries } from './mysql-binaries.js';
import {
  DATABASE,
  type MysqlOptions,
  type MysqlServer,
  type MysqlStopMode,
  stopSignals,
} from './mysql-server.js';
import { waitForMysql } from './wait-for-mysql.js';

const USER = 'floodgate';

/**
 * A server of our own from binaries on this machine: in a fresh folder, on a free port, never as root, with a password
 * nobody else knows. A failure on the way leaves nothing behind either.
 */
export async function mysqlFromBinaries(options: MysqlOptions): Promise<MysqlServer> {
  if (process.platform === 'win32') throw new Error('needs a POSIX system (signals, users)');
  const began = performance.now();
  await installIfMissing(options);
  const user = await serverUser(['mysql']);
  // Killed outright: nothing of it is kept.
  return inRunFolder('floodgate-mysql-', user, 'KILL', async (place) => {
    const binaries = await mysqlBinaries(user, place.folder);
    options.log?.(`local: starting ${binaries.server} as user ${user.name}`);
    const password = randomBytes(12).toString('hex');
    await createDataFolder(binaries, place, password);
    const urlAt = (port: number) => `mysql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;
    const started = await startServerProcess<MysqlStopMode>((port) => ({
      ...place,
      name: 'MySQL',
      program: binaries.server,
      args: commandLine(place.folder, port, options),
      answers: (givenUp) => waitForMysql({ url: urlAt(port), deadlineMs: 60_000, patient: true, givenUp }),
      portTaken: /Address already in use|Do you already have another server running on port/,
      stopSignals,
      crash: 'immediate',
    }));
    const { version } = started;
    const startedInMs = Math.round(performance.now() - began);
    const facts = { ...sqlPlace(urlAt(started.port), 3306), way: 'local' as const, version, startedInMs };
    return ownedServer('MySQL', facts, started.process, 'fast');
  });
}

/** The package may also bring a user for its server. */
async function installIfMissing({ log }: MysqlOptions): Promise<void> {
  await mysqlBinaries(await serverUser(['mysql']), '/').catch((missing: Error) =>
    installPackage('mariadb-server', 'mariadbd', log).catch((error: Error) => {
      throw new Error(`${missing.message}; ${error.message}`, { cause: error });
    }),
  );
}

/** Also writes what the server does first on every start: to know the user and the database of the tests. */
async function createDataFolder(
  { server, installer }: MysqlBinaries,
  place: RunPlace,
  password: string,
): Promise<void> {
  const data = `--datadir=${join(place.folder, 'data')}`;
  const [file, args] =
    installer === undefined
      ? [server, ['--no-defaults', '--initialize-insecure', data]]
      : [installer, ['--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db', data]];
  await setUp(place, file, args);
  const statements = [
    // Not root, of which there is one for each local address, without a password.
    `create user if not exists '${USER}'@'%' identified by '${password}'`,
    `grant all on *.* to '${USER}'@'%' with grant option`,
    `create database if not exists ${DATABASE}`,
  ];
  // One statement a line: the server reads it so.
  await writeFile(join(place.folder, 'init.sql'), `${statements.join(';\n')};\n`, { mode: 0o644 });
}

function commandLine(folder: string, port: number, { settings = {} }: MysqlOptions): string[] {
  const forced = {
    datadir: join(folder, 'data'),
    port,
    bind_address: '127.0.0.1',
    // Relative to the data folder: its own path may be too long for a socket.
    socket: 'mysql.sock',
    pid_file: join(folder, 'server.pid'),
    init_file: join(folder, 'init.sql'),
  };
  return ['--no-defaults', ...mysqlArguments(settings, forced)];
}
