import type { LimiterStats } from '../core/limiter-stats.js';
import type { ResolvedDependency, ResolvedHealthOptions } from './health-options.js';
import type { DependencyReport } from './health-report.js';
import { Hysteresis } from './hysteresis.js';
import { judge, type Look, type Verdict } from './judge.js';
import { LimitRamp } from './limit-ramp.js';
import { SideCheck } from './side-check.js';

/** Follows one dependency by the figures of its limiter; it takes no permit and touches no server. */
export class DependencyWatch {
  readonly name: string;
  readonly required: boolean;
  readonly #dependency: ResolvedDependency;
  readonly #options: ResolvedHealthOptions;
  readonly #hysteresis: Hysteresis;
  readonly #ramp: LimitRamp | undefined;
  readonly #check: SideCheck | undefined;
  #last: LimiterStats;
  /** What was wrong the last time that something was. */
  #reason = '';

  constructor(dependency: ResolvedDependency, options: ResolvedHealthOptions) {
    const { failureThreshold, successThreshold, rampFrom, rampMs, intervalMs } = options;
    this.name = dependency.name;
    this.required = dependency.required;
    this.#dependency = dependency;
    this.#options = options;
    this.#hysteresis = new Hysteresis(failureThreshold, successThreshold);
    const steps = Math.ceil(rampMs / intervalMs);
    if (steps > 0) this.#ramp = new LimitRamp(dependency.limiter, rampFrom, steps);
    if (dependency.check !== undefined) this.#check = new SideCheck(dependency.check);
    this.#last = dependency.limiter.stats();
  }

  /** Draining shows at once: it is this process's own decision, not an observation. */
  get status(): DependencyReport['status'] {
    const { draining } = this.#dependency.limiter.gate;
    if (draining) return 'draining';
    return this.#hysteresis.down ? 'down' : 'up';
  }

  report(): DependencyReport {
    const { status, required } = this;
    return status === 'down' ? { status, required, reason: this.#reason } : { status, required };
  }

  observe(): void {
    const look = this.#look();
    const { verdict, reason } = judge(look, this.#options);
    if (reason !== '') this.#reason = reason;
    const changed = this.#hysteresis.look(this.#evidence(verdict));
    if (this.#hysteresis.down) {
      if (changed) this.#ramp?.lower();
      else if (look.rejected > 0 && look.answered + look.overloaded === 0) this.#ramp?.makeRoom();
    } else if (verdict === 'good' || verdict === 'silent') {
      this.#ramp?.raise();
    }
  }

  /** The limit is given back. */
  close(): void {
    this.#ramp?.end();
  }

  #look(): Look {
    const now = this.#dependency.limiter.stats();
    const last = this.#last;
    this.#last = now;
    return {
      admitted: now.admitted - last.admitted,
      rejected: now.rejected - last.rejected,
      answered: now.succeeded + now.failed - last.succeeded - last.failed,
      overloaded: now.overloaded - last.overloaded,
      oldestPermitMs: now.oldestPermitMs,
    };
  }

  #evidence(verdict: Verdict): boolean | undefined {
    if (verdict === 'pending') return undefined;
    if (verdict !== 'silent') return verdict === 'good';
    // Silence is no sign of a fault; but who is down gets no traffic, and would never come back.
    if (!this.#hysteresis.down) return undefined;
    if (this.#check === undefined) return true;
    const { good, reason } = this.#check.look();
    if (reason !== '') this.#reason = reason;
    return good;
  }
}
