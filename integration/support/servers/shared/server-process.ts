import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunPlace } from './in-run-folder.js';
import type { ServerEngine } from './owned-server.js';
import { freezeTree, thawTree } from './process-tree.js';
import { serverEnvironment } from './run-as.js';
import type { GivenUp } from './server.js';

/** A process that is to be up only once it has answered, and down only once it is gone. */
export interface ServerProcessOptions<StopMode extends string> extends RunPlace {
  /** Of the kind of server, for the messages. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Waits for the first answer and returns the server's version. */
  readonly answers: (givenUp: GivenUp) => Promise<string>;
  /** What its log says when another process holds the port. */
  readonly portTaken: RegExp;
  readonly stopSignals: Readonly<Record<StopMode, NodeJS.Signals>>;
  /** The mode that takes no time. */
  readonly crash: StopMode;
  /** Ends a server that does not go down; otherwise, after 30 s, that is an error. */
  readonly killedAfterMs?: number;
}

/** Thrown when another process holds the port: the one failure that another port, or a moment, mends. */
export class PortTaken extends Error {}

/** A server's process: up only once it has answered, and down only once it is gone. */
export class ServerProcess<StopMode extends string> implements ServerEngine<StopMode> {
  readonly #options: ServerProcessOptions<StopMode>;
  #child: ChildProcess | undefined;

  constructor(options: ServerProcessOptions<StopMode>) {
    this.#options = options;
  }

  /** Returns the server's version; throws `PortTaken` at once. */
  async startOnce(): Promise<string> {
    const { name, program, args, user, folder, watchdog, answers, portTaken, crash } = this.#options;
    const log = await open(join(folder, 'server.log'), 'a');
    const before = (await log.stat()).size;
    // The log is a file, since a pipe that nobody reads would bring the server to a halt. A session of its own, so
    // that Ctrl-C ends the test, and the test or the watchdog ends the server.
    const stdio = ['ignore' as const, log.fd, log.fd];
    const env = serverEnvironment(folder);
    const child = spawn(program, args, { ...user.ids, cwd: folder, env, stdio, detached: true });
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
      return await answers(() => (this.#child === child ? undefined : 'the server ended while starting'));
    } catch (error) {
      await this.stop(crash);
      const said = (await readFile(join(folder, 'server.log'), 'utf8')).slice(before).trim();
      const tail = said.split('\n').slice(-20).join('\n');
      const message = `${(error as Error).message}; its log ends with:\n${tail}`;
      if (portTaken.test(said)) throw new PortTaken(message);
      throw new Error(`${name} did not start: ${message}`, { cause: error });
    }
  }

  /** On the same port. Whoever took it while the server was down is waited for. */
  async start(): Promise<void> {
    if (this.#child !== undefined) return;
    const deadline = Date.now() + 30_000;
    for (;;) {
      try {
        await this.startOnce();
        return;
      } catch (error) {
        if (!(error instanceof PortTaken) || Date.now() > deadline) throw error;
        await sleep(100);
      }
    }
  }

  async stop(mode: StopMode): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const { name, stopSignals, killedAfterMs } = this.#options;
    child.ref();
    const gone = once(child, 'exit').then(() => true);
    child.kill(stopSignals[mode]);
    const late = new AbortController();
    const overdue = sleep(killedAfterMs ?? 30_000, false, { signal: late.signal }).catch(() => false);
    const inTime = await Promise.race([gone, overdue]);
    late.abort();
    if (!inTime && killedAfterMs !== undefined) {
      child.kill('SIGKILL');
      await gone;
      return;
    }
    child.unref();
    if (!inTime) throw new Error(`${name} is still up 30 s after a ${mode} stop: clients connected?`);
  }

  async pause(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error(`the ${this.#options.name} server is not up`);
    // A process that stands still does not obey the watchdog before it is woken up.
    this.#options.watchdog.note((await freezeTree(pid)).join(' '));
  }

  async resume(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    await thawTree(pid);
    this.#options.watchdog.note(`${pid}`);
  }

  async remove(): Promise<void> {
    await this.stop(this.#options.crash).catch(() => this.#child?.kill('SIGKILL'));
    await this.#options.watchdog.release();
    // In case somebody has killed the watchdog.
    await rm(this.#options.folder, { recursive: true, force: true });
  }
}
