import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';

/** The user a server runs as; `ids` goes into the options of `spawn` and is empty when nothing changes. */
export interface ServerUser {
  readonly name: string;
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

/** Database servers refuse to run as root. `nobody` is on every system, if no package has made a better one. */
export async function serverUser(preferred: readonly string[]): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return { name: userInfo().username, ids: {} };
  for (const name of [...preferred, 'nobody']) {
    const ids = await idsOf(name);
    if (ids !== undefined) return { name, ids };
  }
  throw new Error(`this is root, and there is no other user to run a server as (${preferred}, nobody)`);
}

async function idsOf(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, name])));
    return { uid: Number(uid!.stdout), gid: Number(gid!.stdout) };
  } catch {
    return undefined;
  }
}

const run = promisify(execFile);
