import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { installPackage } from '../shared/install-package.js';

const names = ['redis-server', 'valkey-server'];
const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];

/** A `redis-server` of this machine that runs; installed first where that is possible. Its own data is not touched. */
export async function redisBinary(log?: (line: string) => void): Promise<string> {
  const found = await find();
  if (found !== undefined) return found;
  await installPackage('redis-server', 'redis-server', log).catch((error: Error) => {
    throw new Error(`there is no redis-server; ${error.message}`, { cause: error });
  });
  const installed = await find();
  if (installed === undefined) throw new Error('redis-server was installed, but does not run');
  return installed;
}

async function find(): Promise<string | undefined> {
  const paths = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...folders];
  for (const candidate of paths.flatMap((folder) => names.map((name) => join(folder, name)))) {
    // Not what a link leads to: one binary is the server or one of its tools by the name it is called by.
    const runs = await promisify(execFile)(candidate, ['--version']).then(
      () => true,
      () => false,
    );
    if (runs) return candidate;
  }
  return undefined;
}
