import { comingAtOnce, roomForClumps, unusedBetweenClumps } from './clumps.js';
import type { LimitController, LimitDecision, SampleWindow } from './controller.js';
import { type ControllerRange, clamp, type ResolvedRange, resolveRange } from './controller-range.js';
import { CutDoubts } from './cut-doubts.js';
import { Descent } from './descent.js';
import { Elasticity } from './elasticity.js';
import { Filling } from './filling.js';
import { Growth } from './growth.js';
import { JudgedWindows } from './judged-windows.js';
import { OverloadCuts } from './overload-cuts.js';
import { ProbeSchedule } from './probe-schedule.js';
import { ResponseNoise } from './response-noise.js';
import { ResponseBase, responseReason } from './response-time.js';
import { isElsewhere } from './settling.js';
import { slackAt } from './slack.js';
import { SpeedUp } from './speed-up.js';
import { stepTowards } from './step-towards.js';
import { isDraining, isFilling, refusedShare, smoothed } from './window-figures.js';

/**
 * Keeps the limit a little above the knee, the point from which more in flight only wait longer. By Little's law the knee
 * is the most work done times the response time without queueing, R0; at a limit L past it, that is L R0 / R.
 *
 *     overload:        {@link OverloadCuts}
 *     nothing refused: hold, and learn R0 while the load is light
 *     clumps refused:  {@link roomForClumps}
 *     R0 not known:    {@link Descent}
 *     R > L R0:        no line explains that: R0 <- R, and up
 *     R near R0:       {@link Growth}; what is refused is refused for nothing
 *     else:            L <- (1 + s) L R0 / R, with s as {@link slackAt} has it; {@link unusedBetweenClumps} comes on top
 *
 * R0 is looked at again below the knee, every 32nd window (every 8th for a while after changes), as BBR does with its round
 * trip (Cardwell et al. 2016). Where the response falls even there and the work does not: descent. Probes above, in their
 * turn or at a {@link SpeedUp}, measure the {@link Elasticity}: where work follows the limit by more than 0.09, R0 was too low
 * or the knee is not sharp; both go up. A response that does not follow a cut: {@link CutDoubts}. What is chance, in all of
 * these: {@link ResponseNoise}. A limit far too high: {@link Filling}. Slower after an outage: descent.
 */
export class KneeController implements LimitController {
  readonly #range: ResolvedRange;
  readonly #noise = new ResponseNoise();
  readonly #base = new ResponseBase(this.#noise);
  readonly #windows = new JudgedWindows();
  readonly #cuts = new OverloadCuts();
  readonly #filling = new Filling(this.#noise);
  readonly #growth = new Growth(this.#noise);
  readonly #elasticity = new Elasticity(this.#noise);
  readonly #speedUp = new SpeedUp(this.#noise);
  readonly #doubts = new CutDoubts(this.#noise);
  readonly #probes = new ProbeSchedule(this.#noise);
  #limit: number;
  /** Where it is but for probing; not rounded. */
  #rest: number;
  /** Share, smoothed. */
  #refused = Number.NaN;
  #descent: Descent | undefined = new Descent();
  #probing: 'below' | 'deeper' | 'above' | undefined;

  constructor(range: ControllerRange = {}) {
    this.#range = resolveRange('KneeController', range);
    this.#limit = this.#rest = this.#range.initial;
  }

  get limit(): number {
    return this.#limit;
  }

  onWindow(window: SampleWindow): LimitDecision {
    const { limit: wanted, reason } = this.#decide(window);
    const limit = this.#cuts.ceiling.below(window.limit, wanted, window.endedAt);
    if (limit < wanted) {
      this.#rest = Math.min(this.#rest, limit);
      this.#probing = undefined;
    }
    this.#limit = this.#clamped(limit);
    if (Math.round(this.#limit) !== window.limit) this.#windows.settling.changed(window.endedAt);
    return { limit: this.#limit, reason };
  }

  #decide(single: SampleWindow): LimitDecision {
    const enough = this.#filling.onWindow(single);
    if (enough !== undefined)
      return this.#restAt(enough, 'more in flight, and no more work: that much is enough');
    const window = this.#windows.next(single, this.#cuts.recovering);
    if (typeof window === 'string') return { limit: single.limit, reason: window };
    const { succeeded, limit } = window;
    const cut = this.#cuts.onWindow(window, this.#rest, this.#base.known);
    if (cut !== undefined) return this.#restAt(cut.limit, cut.reason);
    if (this.#windows.settling.isOfAnEarlierTime(window))
      return { limit, reason: 'answers of an earlier time: hold' };
    if (isDraining(single)) return { limit, reason: 'more in flight than the limit: hold' };
    // Somebody else has moved the limit (a governor's bound, `resize`): go on from there.
    if (isElsewhere(limit, this.#limit)) this.#rest = limit;
    this.#refused = smoothed(this.#refused, refusedShare(window), 0.3);
    const time = this.#base.timeOf(window);
    if (succeeded === 0 || !(time > 0)) return { limit, reason: 'no work done: hold' };
    this.#probes.onWindow(window.slot);
    if (isFilling(window)) return { limit, reason: 'filling: hold' };
    this.#noise.onWindow(window, time);
    const room = roomForClumps(window, this.#descent === undefined ? this.#rest : limit);
    if (window.rejected === 0 || room !== undefined) return this.#onLightLoad(window, time, room);
    if (!this.#base.known && (this.#refused < HARDLY || window.meanPoolWait > window.meanLatency / 2))
      this.#base.learn(window, time, 0, succeeded / 4);
    if (this.#base.isOfAnotherTime(window, time))
      return this.#anew(window, time, limit * 2, 'response longer than any line explains: up');
    if (!this.#base.known) return this.#descend(window, time);
    const probed = this.#probing;
    this.#probing = undefined;
    if (probed === 'below') return this.#afterProbeBelow(window, time);
    if (probed === 'deeper') return this.#afterProbeDeeper(window, time);
    if (probed === 'above') return this.#afterProbeAbove(window, time);
    return this.#follow(window, time);
  }

  #onLightLoad(window: SampleWindow, time: number, room?: LimitDecision): LimitDecision {
    this.#probing = this.#descent = undefined;
    this.#doubts.forget();
    this.#probes.watch();
    this.#base.learnFromLightLoad(window, time);
    return this.#restAt(room?.limit ?? this.#rest, room?.reason ?? 'limit not reached: hold');
  }

  #descend(window: SampleWindow, time: number): LimitDecision {
    this.#base.forget();
    this.#probing = undefined;
    this.#descent ??= new Descent();
    const { limit, reason } = this.#descent.onWindow(window, time, this.#base, this.#range.min);
    if (!this.#descent.done) return { limit, reason };
    const { bracketed } = this.#descent;
    this.#growth.bracketed = bracketed;
    this.#probes.watch(AFTER_CHANGE);
    this.#descent = undefined;
    return this.#restAt(bracketed ? limit * (1 + slackAt(limit, this.#refused)) : limit, reason);
  }

  #follow(window: SampleWindow, time: number): LimitDecision {
    const { limit, succeeded } = window;
    // Whoever answers sooner than the base has no line; the base had one. Nor has one alone.
    if (limit === 1 || this.#base.isAboveCertainly(window, time)) this.#base.learn(window, time, 0.3);
    const ratio = time / this.#base.time;
    const unused = unusedBetweenClumps(window);
    const knee = (unused > 0 ? window.meanInFlight : limit) / ratio;
    const slack = slackAt(Math.min(limit, knee), this.#refused, comingAtOnce(window, this.#refused));
    const noise = { ratio: Math.hypot(this.#noise.of(succeeded), this.#base.noise), base: this.#base.noise };
    if (this.#cuts.isBackSlower(limit, ratio - 2 * noise.ratio)) return this.#descend(window, time);
    this.#elasticity.onRest(window);
    if (noise.base > UNSURE) this.#probes.watch(2);
    if (this.#speedUp.onWindow(window)) this.#probes.owe();
    const idle = this.#growth.isDue(ratio, noise.ratio, slack, this.#refused);
    let target: number;
    if (idle) {
      target = this.#growth.next(window, ratio, noise, slack, this.#refused, this.#range.max);
    } else {
      this.#growth.stop();
      if (ratio - 1.5 * noise.ratio > 1 + slack / 2) this.#growth.bracketed = true;
      target = Math.max(Math.min(limit, this.#limit) / DEEPEST_CUT, knee * (1 + slack) + unused);
    }
    const doubt = this.#doubts.onWindow(window, time, target);
    if (doubt !== undefined)
      return 'lower' in doubt
        ? this.#restAt(doubt.lower, 'probing whether the response follows')
        : this.#anew(window, time, doubt.back, 'the response does not follow the limit: back');
    const followed = idle ? undefined : this.#elasticity.ofWayUp;
    if (followed !== undefined) return this.#goUp(window, time, followed);
    const how = { noise: noise.ratio, refused: this.#refused, sustained: this.#growth.sustained };
    const step = stepTowards(target, this.#rest, how);
    if (step.farAway) {
      this.#probes.watch(AFTER_CHANGE);
      if (target < this.#rest && ratio > 1.3) this.#doubts.cut(window, time);
    }
    this.#rest = this.#clamped(step.limit);
    const reason = responseReason(window, idle, ratio);
    // Together with a long step it would be none: what it would be compared with is at another limit.
    const probe = step.farAway ? undefined : this.#probe(slack);
    return probe ?? { limit: this.#rest, reason };
  }

  #probe(slack: number): LimitDecision | undefined {
    const probe = this.#probes.next(!this.#growth.going, this.#rest, slack, this.#range.min);
    if (probe === undefined) return undefined;
    this.#probing = probe.side;
    return { limit: probe.limit, reason: `probing ${probe.side}` };
  }

  #afterProbeBelow(window: SampleWindow, time: number): LimitDecision {
    const { limit } = window;
    const before = this.#base.time;
    const shorter = this.#base.isAbovePlainly(window, time);
    this.#base.learnFromBelow(window, time, this.#elasticity);
    // Where the load nearly fits, a line is worth more than what would be refused without it.
    if (shorter && this.#refused > NEARLY_FITS && limit * DEEPER >= this.#range.min) {
      this.#probing = 'deeper';
      return { limit: limit * DEEPER, reason: 'probing deeper' };
    }
    const change = (this.#base.time / before).toFixed(2);
    return { limit: this.#rest, reason: `probed: base ${change}x of what it was` };
  }

  #afterProbeDeeper(window: SampleWindow, time: number): LimitDecision {
    const { slope, error } = this.#elasticity.onProbe(window);
    if (!(slope + error < FLAT)) return { limit: this.#rest, reason: 'probed: less work below' };
    // There is a line even here: the base was none.
    return this.#descend(window, time);
  }

  #afterProbeAbove(window: SampleWindow, time: number): LimitDecision {
    const { slope, error } = this.#elasticity.onProbe(window);
    if (slope - 1.5 * error > 0.3) return this.#goUp(window, time, slope);
    // Perhaps: looking once more is sooner sure than waiting.
    if (slope > 0.3 || this.#elasticity.surelyFollows) this.#probes.owe();
    if (!this.#elasticity.surelyFollows) return { limit: this.#rest, reason: 'probed: no more work above' };
    const mean = this.#elasticity.above;
    if (mean > FAR_BELOW) this.#growth.bracketed = false;
    this.#base.rescale(STEP);
    this.#elasticity.moved();
    this.#probes.watch(AFTER_CHANGE);
    return this.#restAt(this.#rest * STEP, `work follows the limit by ${mean.toFixed(2)}: up`);
  }

  #goUp(window: SampleWindow, time: number, slope: number): LimitDecision {
    const reason = `work follows the limit by ${slope.toFixed(2)}: up`;
    return this.#anew(window, time, window.limit * (slope > FAR_BELOW ? FURTHER : 1), reason);
  }

  /** What was known was of another time or place: this window has the base. */
  #anew(window: SampleWindow, time: number, limit: number, reason: string): LimitDecision {
    this.#probing = undefined;
    this.#doubts.forget();
    this.#base.learn(window, time, 0);
    this.#growth.bracketed = false;
    this.#elasticity.moved();
    this.#probes.watch(AFTER_CHANGE);
    return this.#restAt(limit, reason);
  }

  #restAt(limit: number, reason: string): LimitDecision {
    this.#rest = this.#clamped(limit);
    return { limit: this.#rest, reason };
  }

  #clamped(limit: number): number {
    return clamp(limit, this.#range.min, this.#range.max);
  }
}

/** Times, for the base and the limit where it does. */
const STEP = 1.2;
const DEEPER = 0.7;
/** Elasticity at which the knee is a long way up, and how many times further the limit goes then. */
const FAR_BELOW = 0.6;
const FURTHER = 1.5;
/** Elasticity at which a lower limit does as much work. */
const FLAT = 0.25;
const AFTER_CHANGE = 12;
/** Standard error of the base, above which it is looked at often. */
const UNSURE = 0.15;
/** Refused share up to which the load is taken for light, and that up to which it nearly fits. */
const HARDLY = 0.05;
const NEARLY_FITS = 0.1;
const DEEPEST_CUT = 4;
