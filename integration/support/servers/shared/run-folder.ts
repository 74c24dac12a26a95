import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAs } from './run-as.js';
import type { ServerUser } from './server-user.js';

/**
 * A fresh folder that the server's user owns and can reach; all a server writes is in it, so that removing it
 * leaves nothing. Root's own TMPDIR may be closed to others: then /tmp is taken.
 */
export async function makeRunFolder(prefix: string, user: ServerUser): Promise<string> {
  let failure: unknown;
  for (const parent of new Set([tmpdir(), '/tmp'])) {
    const folder = await mkdtemp(join(parent, prefix));
    try {
      const { uid, gid } = user.ids;
      if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
      await chmod(folder, 0o700);
      // Asked by trying: permission bits alone do not tell (ACLs, mounts).
      await runAs(user, '/bin/sh', ['-c', 'test -w "$1"', 'sh', folder], { cwd: '/', deadlineMs: 10_000 });
      return folder;
    } catch (error) {
      failure = error;
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new Error(`no temporary folder is open to user ${user.name}`, { cause: failure });
}
