import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const taskset = async (...args: string[]) => (await run('taskset', args)).stdout;

/**
 * What `start` starts runs on the machine's last core alone, as children inherit that, and the load generator elsewhere.
 * Where there is no `taskset` (it is Linux'), anywhere.
 */
export async function onOneCore<T>(start: () => Promise<T>): Promise<T> {
  const own = `${process.pid}`;
  const before = await taskset('-cp', own).catch(() => undefined);
  if (before === undefined) return start();
  await taskset('-cp', `${cpus().length - 1}`, own);
  try {
    return await start();
  } finally {
    await taskset('-cp', before.slice(before.lastIndexOf(':') + 1).trim(), own);
  }
}

export interface Burner {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A program that takes half of that core. */
export function burner(): Burner {
  let child: ChildProcess | undefined;
  return {
    async start() {
      if (child !== undefined) return;
      child = await onOneCore(async () => fork(fileURLToPath(new URL('./burner.js', import.meta.url))));
      child.unref();
      child.channel?.unref();
      // Before all others, or a server with many processes would leave it little. Only root may; else it gets its share.
      await run('chrt', ['--fifo', '--pid', '1', `${child.pid}`]).catch(() => {});
    },
    async stop() {
      if (child === undefined) return;
      const gone = once(child, 'exit');
      child.ref();
      child.kill('SIGKILL');
      await gone;
      child = undefined;
    },
  };
}
