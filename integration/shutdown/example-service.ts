import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../build/examples/graceful-shutdown.js', import.meta.url));

/** The example of the README, in a process of its own. */
export interface ExampleService extends AsyncDisposable {
  readonly address: string;
  readonly process: ChildProcess;
  /** Its lines so far. */
  readonly lines: readonly string[];
  /** Its end: the code it exits with, and how long it took from the call. */
  ended(): Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly afterMs: number;
  }>;
}

/** @param settings its environment: `QUERY`, `NOTICE_MS`, `DEADLINE_MS`, `LAST_MS` */
export async function startExample(
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
): Promise<ExampleService> {
  if (!existsSync(script)) throw new Error(`${script} is not there: npm run build`);
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: '0', ...settings },
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
  while (lines.length === 0) await Promise.race([once(child.stdout, 'data'), exited.then(failed)]);
  return {
    address: lines[0]!.replace('listening on ', ''),
    process: child,
    lines,
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

function failed(): never {
  throw new Error('the example ended before it listened');
}
