import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { installPackage } from './install-package.js';

const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];

/**
 * A program of this machine that runs; installed first where that is possible.
 *
 * @param names what it may be called
 * @param packageName of Debian and Ubuntu
 */
export async function installedBinary(
  names: readonly [string, ...string[]],
  packageName: string,
  log?: (line: string) => void,
): Promise<string> {
  const found = await findBinary(names);
  if (found !== undefined) return found;
  const [name] = names;
  await installPackage(packageName, name, log).catch((error: Error) => {
    throw new Error(`there is no ${name}; ${error.message}`, { cause: error });
  });
  const installed = await findBinary(names);
  if (installed === undefined) throw new Error(`${packageName} was installed, but ${name} does not run`);
  return installed;
}

async function findBinary(names: readonly string[]): Promise<string | undefined> {
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
