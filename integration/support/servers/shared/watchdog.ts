import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Cleans up when this process is gone, however it went: exit, Ctrl-C, a crash, SIGKILL. The kernel closes the
 * pipe in all of these cases alike, so no listener for signals or for `exit` is put into the test process.
 */
export interface Watchdog {
  /** What the clean-up script is to find in `$line`, from now on. */
  note(line: string): void;
  /** Runs the clean-up now and waits for its end. */
  release(): Promise<void>;
}

/** `cleanup` is a POSIX shell script; it finds the last note in `$line` and `args` in `$1`, `$2`... */
export async function startWatchdog(cleanup: string, ...args: string[]): Promise<Watchdog> {
  const script = `line=\nwhile read -r next; do line=$next; done\n${cleanup}`;
  const child = spawn('/bin/sh', ['-c', script, 'watchdog', ...args], {
    // In a session of its own, it is not hit by the Ctrl-C that ends the process it watches.
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => {});
  await once(child, 'spawn');
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return {
    note(line) {
      child.stdin.write(`${line}\n`);
    },
    async release() {
      child.stdin.end();
      await ended(child);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  await once(child, 'exit');
}
