import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForMysql } from './mysql-wait.js';
import type { ServerEngine } from './owned-server.js';
import { freezeTree, thawTree } from './process-tree.js';
import { serverEnvironment } from './run-as.js';
import type { ServerUser } from './server-user.js';
import type { Watchdog } from './watchdog.js';

export interface MysqlProcessOptions {
  readonly server: string;
  readonly user: ServerUser;
  readonly folder: string;
  readonly args: readonly string[];
  readonly url: string;
  readonly watchdog: Watchdog;
}

/** Thrown when another process holds the port: the one failure that another port, or a moment, mends. */
export class MysqlPortTaken extends Error {}

/** The server's process: up only once it has answered, and down only once it is gone. */
export class MysqlProcess implements ServerEngine {
  readonly #options: MysqlProcessOptions;
  #child: ChildProcess | undefined;

  constructor(options: MysqlProcessOptions) {
    this.#options = options;
  }

  /** Throws `MysqlPortTaken` at once. */
  async startOnce(): Promise<void> {
    const { server, user, folder, args, url, watchdog } = this.#options;
    const log = await open(join(folder, 'server.log'), 'a');
    const before = (await log.stat()).size;
    const child = spawn(server, args, {
      ...user.ids,
      cwd: folder,
      env: serverEnvironment(folder),
      // A file, since a pipe that nobody reads would bring the server to a halt. A session of its own, so
      // that Ctrl-C ends the test, and the test or the watchdog ends the server.
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
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
      await waitForMysql({
        url,
        deadlineMs: 60_000,
        patient: true,
        givenUp: () => (this.#child === child ? undefined : 'the server ended while starting'),
      });
    } catch (error) {
      await this.stop('immediate');
      const said = (await readFile(join(folder, 'server.log'), 'utf8')).slice(before).trim();
      const message = `${(error as Error).message}; its log ends with:\n${tail(said)}`;
      if (/Address already in use|Do you already have another server running on port/.test(said)) {
        throw new MysqlPortTaken(message);
      }
      throw new Error(`the server did not start: ${message}`, { cause: error });
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
        if (!(error instanceof MysqlPortTaken) || Date.now() > deadline) throw error;
        await sleep(200);
      }
    }
  }

  async stop(mode: 'smart' | 'fast' | 'immediate'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.ref();
    const gone = once(child, 'exit');
    child.kill(mode === 'immediate' ? 'SIGKILL' : 'SIGTERM');
    const late = new AbortController();
    const inTime = await Promise.race([
      gone.then(() => true),
      sleep(30_000, false, { signal: late.signal }).catch(() => false),
    ]);
    late.abort();
    child.unref();
    if (!inTime) throw new Error(`the server is still up 30 s after a ${mode} stop`);
  }

  async pause(): Promise<void> {
    await freezeTree(this.#pid());
  }

  async resume(): Promise<void> {
    await thawTree(this.#pid());
  }

  async remove(): Promise<void> {
    // Nothing that it could still write is of any use.
    await this.stop('immediate');
    await this.#options.watchdog.release();
    // In case somebody has killed the watchdog.
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  #pid(): number {
    if (this.#child?.pid === undefined) throw new Error('the server is not up');
    return this.#child.pid;
  }
}

function tail(text: string): string {
  return text.split('\n').slice(-20).join('\n');
}
