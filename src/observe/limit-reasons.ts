/**
 * Why a limit moved, in one word of a bounded set, fit to be an attribute of a metric: the reasons in
 * `limiter.history()` carry figures, and no two are alike.
 */
export type LimitReason =
  /** A call of `resize`. */
  | 'resize'
  /** The controller looks what a limit a little above or below yields, or comes back from there. */
  | 'probe'
  /** It follows the knee. */
  | 'knee'
  /** It knows too little, and searches in strides. */
  | 'search'
  /** The load fits below the limit. */
  | 'load-fits'
  /** Operations that come at once are refused, though there is room most of the time. */
  | 'clumps'
  /** Overload answers: a cut. */
  | 'overload'
  /** Waits for a connection: a cut. */
  | 'pool-wait'
  /** Back to the level from before an outage. */
  | 'recovery'
  /** A bound that the user has set (`targetPoolWaitMs` and its like) was broken. */
  | 'guard'
  /** No figures: drift to the fallback. */
  | 'stale'
  /** Another controller than the default one, or none of the above. */
  | 'controller';

/** The first that matches names it. The texts are those of `KneeController`, the governor and `resize`. */
const WORDS: readonly (readonly [RegExp, LimitReason])[] = [
  [/^resize$/, 'resize'],
  [/^guard: /, 'guard'],
  [/^no figures: /, 'stale'],
  [/^overload /, 'overload'],
  [/^response .*, pool wait /, 'pool-wait'],
  [/^recover(ed|ing)\b/, 'recovery'],
  [/^descend(ed|ing)\b|^the response does not follow\b/, 'search'],
  [/^(response|work follows|more in flight, and no more work)\b/, 'knee'],
  [/^prob(ing|ed)\b/, 'probe'],
  [/^limit not reached: /, 'load-fits'],
  [/ refused in clumps, /, 'clumps'],
];

export function limitReason(reason: string): LimitReason {
  return WORDS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'controller';
}

/** Every reason, for a limit that moves by itself; a fixed one is moved by `resize` alone. */
export function limitReasons(adaptive: boolean): readonly LimitReason[] {
  return adaptive ? ALL : ['resize'];
}

const ALL: readonly LimitReason[] = [...WORDS.map(([, word]) => word), 'controller'];
