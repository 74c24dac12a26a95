import { callListener } from '../core/call-listener.js';
import { DependencyWatch } from './dependency-watch.js';
import { type HealthHandler, healthHandler } from './health-handler.js';
import { type HealthOptions, type ResolvedHealthOptions, resolveHealthOptions } from './health-options.js';
import { answerWith, type HealthAnswer, type HealthReport } from './health-report.js';

/**
 * Answers an orchestrator's two questions. `/livez`, would a restart help: it answers as long as the process can, and
 * never asks a database. `/readyz`, is there a point in sending work: by what the limiters have seen of the work itself,
 * so it sends nothing, takes no permit, and is answered at once however full the limiters are.
 *
 * Dependencies are looked at by an unreferenced timer. Rejections alone never make an instance unready: it does what it
 * can.
 *
 * Gotcha: with one required dependency and `commonFailure: 'stay-ready'` (the default), a database that is down leaves the
 * instance ready, `degraded`; only draining and {@link beginShutdown} make it unready.
 */
export class Health {
  /** For `node:http`, and as a middleware for Express; bound. */
  readonly handler: HealthHandler;
  readonly #options: ResolvedHealthOptions;
  readonly #watches: readonly DependencyWatch[];
  #timer: NodeJS.Timeout | undefined;
  #shuttingDown = false;
  /** The statuses that were told last. */
  #told: string;

  /** @throws TypeError | RangeError naming the option, the rule and the value */
  constructor(options: HealthOptions) {
    this.#options = resolveHealthOptions(options);
    this.#watches = this.#options.dependencies.map(
      (dependency) => new DependencyWatch(dependency, this.#options),
    );
    this.handler = healthHandler({ '/livez': () => this.livez(), '/readyz': () => this.readyz() });
    this.#told = statuses(this.report());
    this.#timer = setInterval(() => this.observe(), this.#options.intervalMs).unref();
  }

  /** Always 200: whoever gets no answer at all may restart the process. */
  livez(): HealthAnswer {
    return answerWith(200, { status: 'live' });
  }

  /** 200 when ready, `degraded` too; 503 when not. The body is the {@link report}. */
  readyz(): HealthAnswer {
    const report = this.report();
    return answerWith(report.status === 'not-ready' ? 503 : 200, report);
  }

  /** What {@link readyz} says, as an object. */
  report(): HealthReport {
    const dependencies = Object.freeze(
      Object.fromEntries(this.#watches.map((watch) => [watch.name, Object.freeze(watch.report())])),
    );
    return Object.freeze({ ...this.#status(), dependencies });
  }

  /** Not ready from now on, for good, and limits are given back: the first step of a shutdown. */
  beginShutdown(): void {
    this.#shuttingDown = true;
    this.close();
    this.#tell();
  }

  /** Stops looking; what was seen last stays the answer. A limit that is still lowered is given back. */
  close(): void {
    clearInterval(this.#timer);
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    for (const watch of this.#watches) watch.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** @internal One look at every dependency; the timer takes them. */
  observe(): void {
    for (const watch of this.#watches) watch.observe();
    this.#tell();
  }

  #status(): Pick<HealthReport, 'status' | 'reason'> {
    if (this.#shuttingDown) return { status: 'not-ready', reason: 'shutting down' };
    const required = this.#watches.filter((watch) => watch.required);
    const draining = required.filter(({ status }) => status === 'draining');
    if (draining.length > 0) return { status: 'not-ready', reason: `draining: ${names(draining)}` };
    const down = required.filter(({ status }) => status === 'down');
    if (down.length > 0 && down.length === required.length && this.#options.commonFailure === 'stay-ready') {
      return {
        status: 'degraded',
        reason: `everything required is down, most likely for all: ${names(down)}`,
      };
    }
    if (down.length > 0) return { status: 'not-ready', reason: `down: ${names(down)}` };
    const missing = this.#watches.filter(({ status }) => status !== 'up');
    if (missing.length > 0) return { status: 'degraded', reason: `without: ${names(missing)}` };
    return { status: 'ready' };
  }

  #tell(): void {
    const report = this.report();
    const now = statuses(report);
    if (now === this.#told) return;
    this.#told = now;
    callListener('onChange', this.#options.onChange, report);
  }
}

function names(watches: readonly DependencyWatch[]): string {
  return watches.map(({ name }) => name).join(', ');
}

function statuses({ status, dependencies }: HealthReport): string {
  return [status, ...Object.values(dependencies).map((dependency) => dependency.status)].join();
}
