import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { runAs } from '../shared/run-as.js';
import type { ServerUser } from '../shared/server-user.js';

export interface MysqlBinaries {
  /** `mariadbd` or `mysqld`, with its path. */
  readonly server: string;
  /** Of MariaDB: `mariadb-install-db`. MySQL's server fills its own data folder. */
  readonly installer: string | undefined;
}

/** Where packages put servers that are often not on the PATH of a user. */
const packaged = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/libexec',
  '/usr/local/mysql/bin',
  '/opt/homebrew/bin',
  '/usr/local/bin',
];
const brewed = ['/opt/homebrew/opt', '/usr/local/opt'];

/** The first MariaDB or MySQL server that this machine can run. Its own databases are not touched. */
export async function mysqlBinaries(user: ServerUser, cwd: string): Promise<MysqlBinaries> {
  const complaints: string[] = [];
  for (const folder of await folders()) {
    for (const name of ['mariadbd', 'mysqld']) {
      const server = join(folder, name);
      if (!(await exists(server))) continue;
      try {
        return await usable(server, user, cwd);
      } catch (error) {
        complaints.push((error as Error).message);
      }
    }
  }
  throw new Error(complaints.join('; ') || 'no mariadbd or mysqld on the PATH or where packages put them');
}

async function folders(): Promise<Set<string>> {
  const kegs = await Promise.all(
    brewed.map(async (parent) =>
      (await readdir(parent).catch(() => []))
        .filter((name) => /^(mariadb|mysql)(@[\d.]+)?$/.test(name))
        .map((name) => join(parent, name, 'bin')),
    ),
  );
  const path = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return new Set([...path, ...packaged, ...kegs.flat()]);
}

/** Says so by running it as the user who will: that shows a missing library and a foreign processor alike. */
async function usable(server: string, user: ServerUser, cwd: string): Promise<MysqlBinaries> {
  const said = await runAs(user, server, ['--no-defaults', '--version'], { cwd, deadlineMs: 10_000 });
  if (!/MariaDB/i.test(said)) return { server, installer: undefined };
  for (const folder of new Set([join(server, '..'), ...(await folders()), '/usr/bin', '/usr/scripts'])) {
    for (const name of ['mariadb-install-db', 'mysql_install_db']) {
      const installer = join(folder, name);
      if (await exists(installer)) return { server, installer };
    }
  }
  throw new Error(`${server} is there, and no mariadb-install-db`);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
