import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freezeTree, thawTree } from './process-tree.js';
import type { RedisEngine } from './redis-owned.js';
import type { RedisStopMode } from './redis-server.js';
import { waitForRedis } from './redis-wait.js';
import { serverEnvironment } from './run-as.js';
import type { ServerUser } from './server-user.js';
import type { Watchdog } from './watchdog.js';

export interface RedisProcessOptions {
  readonly binary: string;
  readonly user: ServerUser;
  readonly folder: string;
  readonly args: readonly string[];
  readonly url: string;
  readonly watchdog: Watchdog;
}

/** Thrown when another process holds the port: the one failure that another port, or a moment, mends. */
export class RedisPortTaken extends Error {}

/** The server's process: up only once it has answered, and down only once it is gone. */
export class RedisProcess implements RedisEngine {
  readonly #options: RedisProcessOptions;
  #child: ChildProcess | undefined;
  /** As the server said when it last came up. */
  version = 'unknown';

  constructor(options: RedisProcessOptions) {
    this.#options = options;
  }

  /** Throws `RedisPortTaken` at once. */
  async startOnce(): Promise<void> {
    const { binary, user, folder, args, url, watchdog } = this.#options;
    const log = await open(join(folder, 'server.log'), 'a');
    const before = (await log.stat()).size;
    // A session of its own, so that Ctrl-C ends the test, and the test or the watchdog ends the server.
    const stdio = ['ignore', log.fd, log.fd] as const;
    const env = serverEnvironment(folder);
    const child = spawn(binary, args, { ...user.ids, cwd: folder, env, stdio: [...stdio], detached: true });
    const spawned = once(child, 'spawn');
    if (child.pid !== undefined) watchdog.note(`${child.pid}`);
    child.unref();
    child.once('exit', () => {
      this.#child = undefined;
      watchdog.note('');
    });
    this.#child = child;
    await Promise.all([spawned, log.close()]);
    try {
      this.version = await waitForRedis({
        url,
        deadlineMs: 30_000,
        givenUp: () => (this.#child === child ? undefined : 'the server ended while starting'),
      });
    } catch (error) {
      await this.stop('crash');
      const said = (await readFile(join(folder, 'server.log'), 'utf8')).slice(before).trim();
      const message = `${(error as Error).message}; its log ends with:\n${said.split('\n').slice(-10).join('\n')}`;
      if (/Address already in use/.test(said)) throw new RedisPortTaken(message);
      throw new Error(`Redis did not start: ${message}`, { cause: error });
    }
  }

  /** On the same port. Whoever took it while the server was down is waited for. */
  async start(): Promise<void> {
    if (this.#child !== undefined) return;
    const deadline = Date.now() + 30_000;
    for (;;) {
      try {
        return await this.startOnce();
      } catch (error) {
        if (!(error instanceof RedisPortTaken) || Date.now() > deadline) throw error;
        await sleep(100);
      }
    }
  }

  async stop(mode: RedisStopMode): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.ref();
    const gone = once(child, 'exit');
    child.kill(mode === 'save' ? 'SIGTERM' : 'SIGKILL');
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(late);
  }

  async pause(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('this Redis server is down');
    await freezeTree(pid);
  }

  async resume(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid !== undefined) await thawTree(pid);
  }

  async remove(): Promise<void> {
    await this.stop('crash');
    await this.#options.watchdog.release();
  }
}
