import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A service in a process of its own, killed when the test is over. */
export interface ChildService extends AsyncDisposable {
  readonly process: ChildProcess;
  /** Its lines so far. */
  readonly lines: readonly string[];
  /** The first line that has this, now or later. Rejects if the process ends before. */
  line(text: string): Promise<string>;
  /** Its end: the code it exits with, and how long it took from the call. */
  ended(): Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly afterMs: number;
  }>;
}

/** @param script in the folder `build`, where the tools are built */
export function startChildService(script: string, env: Readonly<Record<string, string>>): ChildService {
  const file = fileURLToPath(new URL(`../../build/${script}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${file} is not there: npm run build`);
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  // Not 'exit': its last lines may come after that.
  const exited = once(child, 'close');
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    lines.push(...parts);
  });
  const failed = () => {
    throw new Error(`${script} ended too early:\n${lines.join('\n')}`);
  };
  return {
    process: child,
    lines,
    async line(text) {
      for (;;) {
        const found = lines.find((line) => line.includes(text));
        if (found !== undefined) return found;
        await Promise.race([once(child.stdout, 'data'), exited.then(failed)]);
      }
    },
    async ended() {
      const begin = performance.now();
      const [code, signal] = await exited;
      return { code, signal, afterMs: performance.now() - begin };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
