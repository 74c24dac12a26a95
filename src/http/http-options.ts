import {
  checkOptions,
  complaint,
  integerFrom,
  nonEmptyString,
  type OptionCheck,
  ofType,
  oneOf,
} from '../core/option-checks.js';

const EXPOSABLE = ['reason', 'limiter', 'operation', 'operationClass', 'limit', 'inFlight'] as const;

/** A field of the `BackpressureError` that the response may show. */
export type ExposedField = (typeof EXPOSABLE)[number];

/** How rejections are answered. All is optional. */
export interface HttpOptions {
  /** The problem's `type` (RFC 9457): a URI of yours that says what this problem is. @default 'about:blank' */
  readonly type?: string | undefined;
  /** The problem's `title`, and the heading of the HTML and text forms. @default 'Service Unavailable' */
  readonly title?: string | undefined;
  /** The problem's `detail`: a sentence for people. @default one that says when to try again */
  readonly detail?: string | undefined;
  /**
   * Spreads `Retry-After`, so that callers who were turned away together don't come back together: up to so many whole
   * seconds are added, 0 to 86400. @default as much again as the wait itself, at least 2
   */
  readonly jitterSeconds?: number | undefined;
  /** Source of the jitter: from 0 to below 1. @default Math.random */
  readonly random?: (() => number) | undefined;
  /**
   * Fields of the error to show as members of the problem: `['reason', 'limiter']`. Texts are cut at 100 characters.
   * They tell callers how the service is built, so none is shown unless named here. @default []
   */
  readonly expose?: readonly ExposedField[] | undefined;
}

/** {@link HttpOptions} with the defaults filled in; `undefined` where the default depends on the error. */
export interface HttpSettings {
  readonly type: string;
  readonly title: string;
  readonly detail: string | undefined;
  readonly jitterSeconds: number | undefined;
  readonly random: () => number;
  readonly expose: readonly ExposedField[];
}

export const HTTP_OPTION_CHECKS: Readonly<Record<string, OptionCheck>> = {
  type: nonEmptyString,
  title: nonEmptyString,
  detail: nonEmptyString,
  jitterSeconds: integerFrom(0, 86_400),
  random: ofType('function'),
  expose: exposedFields,
};

/**
 * @param owner whose options they are, for the message
 * @param hint added to the complaint about an unknown option
 * @throws TypeError | RangeError naming the option, the rule and the value
 */
export function resolveHttpOptions(
  owner: string,
  options: HttpOptions,
  checks: Readonly<Record<string, OptionCheck>> = HTTP_OPTION_CHECKS,
  hint?: string,
): HttpSettings {
  checkOptions(owner, options, checks, hint);
  return {
    type: options.type ?? 'about:blank',
    title: options.title ?? 'Service Unavailable',
    detail: options.detail,
    jitterSeconds: options.jitterSeconds,
    random: options.random ?? Math.random,
    expose: [...(options.expose ?? [])],
  };
}

function exposedFields(option: string, value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError(complaint(option, 'an array of names of fields', value));
  const check = oneOf(...EXPOSABLE);
  value.forEach((field, index) => {
    check(`${option}[${index}]`, field);
  });
}
