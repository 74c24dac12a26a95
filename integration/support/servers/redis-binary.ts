import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const names = ['redis-server', 'valkey-server'];
const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];

/** A `redis-server` of this machine that runs; installed first where that is possible. Its own databases are not touched. */
export async function redisBinary(log: (line: string) => void = () => {}): Promise<string> {
  const found = await find();
  if (found !== undefined) return found;
  await install(log);
  const installed = await find();
  if (installed === undefined) throw new Error('redis-server was installed, but does not run');
  return installed;
}

async function find(): Promise<string | undefined> {
  const paths = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...folders];
  for (const candidate of paths.flatMap((folder) => names.map((name) => join(folder, name)))) {
    // Not what a link leads to: one binary is the server or one of its tools by the name it is called by.
    const runs = await run(candidate, ['--version']).then(
      () => true,
      () => false,
    );
    if (runs) return candidate;
  }
  return undefined;
}

let installing: Promise<void> | undefined;

/** Once a process: as root on Debian and its kin, where a package is one command away. */
function install(log: (line: string) => void): Promise<void> {
  installing ??= installPackage(log);
  return installing;
}

async function installPackage(log: (line: string) => void): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('there is no redis-server, and only root can install one');
  await run('apt-get', ['--version']).catch(() => {
    throw new Error('there is no redis-server, and no apt-get to install one');
  });
  log('local: there is no redis-server: installing the package (apt-get install redis-server)');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const args = ['install', '-y', '--no-install-recommends', 'redis-server'];
  try {
    await run('apt-get', args, { env });
  } catch {
    // Without lists, or with old ones, the package is not found.
    await run('apt-get', ['update'], { env });
    await run('apt-get', args, { env });
  }
}
