import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { runAs } from '../shared/run-as.js';
import type { ServerUser } from '../shared/server-user.js';

export interface PostgresBinaries {
  /** The folder of `initdb` and `postgres`. */
  readonly bin: string;
  readonly major: number;
}

const oldest = 13;

/**
 * Says that these binaries will do by running them as the user who will: that shows a missing one, a closed
 * folder, a missing shared library and a foreign processor alike.
 */
export async function usableBinaries(bin: string, user: ServerUser, cwd: string): Promise<PostgresBinaries> {
  const [postgres] = await Promise.all(
    ['postgres', 'initdb'].map(async (name) => {
      await access(join(bin, name)).catch(() => {
        throw new Error(`${bin} holds no ${name}`);
      });
      return runAs(user, join(bin, name), ['--version'], { cwd, deadlineMs: 10_000 });
    }),
  );
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(postgres!)?.[1]);
  if (!(major >= oldest)) throw new Error(`${bin} is PostgreSQL ${major}, and ${oldest} is the oldest used`);
  return { bin, major };
}
