import { execFile } from 'node:child_process';
import type { ServerUser } from './server-user.js';

export interface RunAsOptions {
  /** A folder the user may enter; the caller's own may be closed to it. */
  readonly cwd: string;
  readonly deadlineMs: number;
  readonly onPid?: (pid: number) => void;
}

/** Runs a program to its end as another user and returns its output; a failure carries what it complained of. */
export function runAs(user: ServerUser, file: string, args: readonly string[], options: RunAsOptions) {
  return new Promise<string>((resolve, reject) => {
    const { cwd, deadlineMs } = options;
    const settings = { ...user.ids, cwd, timeout: deadlineMs, env: serverEnvironment(cwd) };
    const child = execFile(file, args, settings, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const reason = stderr.trim() || stdout.trim() || error.message;
      reject(new Error(`${file} failed as user ${user.name}: ${reason}`, { cause: error }));
    });
    if (child.pid !== undefined) options.onPid?.(child.pid);
  });
}

/** The caller's PGDATA or PGOPTIONS must not steer the server, and its messages must be in English to be read. */
export function serverEnvironment(home: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C', HOME: home };
}
