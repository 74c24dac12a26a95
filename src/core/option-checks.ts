/**
 * Checks for options: each throws a `TypeError` (wrong type, unknown key, contradiction) or a `RangeError` (right type,
 * wrong value) that names the option, the rule and the value.
 */
export type OptionCheck = (option: string, value: unknown) => void;

export function integerFrom(min: number, max: number = Number.MAX_SAFE_INTEGER): OptionCheck {
  const rule = max === Number.MAX_SAFE_INTEGER ? `an integer >= ${min}` : `an integer from ${min} to ${max}`;
  return (option, value) => {
    if (typeof value !== 'number') throw new TypeError(complaint(option, rule, value));
    if (!Number.isSafeInteger(value) || value < min || value > max) {
      throw new RangeError(complaint(option, rule, value));
    }
  };
}

/** A duration in milliseconds, fractions allowed; at most what a timer can wait, or it would fire at once. */
export function millisecondsFrom(min: number): OptionCheck {
  const rule = `a number of milliseconds from ${min} to ${LONGEST_TIMER_MS}`;
  return (option, value) => {
    if (typeof value !== 'number') throw new TypeError(complaint(option, rule, value));
    if (!(value >= min && value <= LONGEST_TIMER_MS)) throw new RangeError(complaint(option, rule, value));
  };
}

/** The same above zero, for bounds that nothing could keep at zero. `hint`: what to do instead. */
export function millisecondsAboveZero(hint = ''): OptionCheck {
  const rule = `a number of milliseconds > 0, at most ${LONGEST_TIMER_MS}${hint}`;
  return (option, value) => {
    if (typeof value !== 'number') throw new TypeError(complaint(option, rule, value));
    if (!(value > 0 && value <= LONGEST_TIMER_MS)) throw new RangeError(complaint(option, rule, value));
  };
}

/** What Node can wait; a longer timer fires at once. */
export const LONGEST_TIMER_MS = 2_147_483_647;

export function numberFrom(min: number, max: number = Number.MAX_VALUE): OptionCheck {
  const rule = max === Number.MAX_VALUE ? `a number >= ${min}` : `a number from ${min} to ${max}`;
  return (option, value) => {
    if (typeof value !== 'number') throw new TypeError(complaint(option, rule, value));
    if (!(value >= min && value <= max)) throw new RangeError(complaint(option, rule, value));
  };
}

export function abortSignal(option: string, value: unknown): void {
  if (!(value instanceof AbortSignal)) throw new TypeError(complaint(option, 'an AbortSignal', value));
}

export function ofType(type: 'boolean' | 'function'): OptionCheck {
  return (option, value) => {
    if (typeof value !== type) throw new TypeError(complaint(option, `a ${type}`, value));
  };
}

export function nonEmptyString(option: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(complaint(option, 'a non-empty string', value));
  if (value === '') throw new RangeError(complaint(option, 'a non-empty string', value));
}

export function oneOf(...allowed: readonly string[]): OptionCheck {
  const rule = `one of ${allowed.map((name) => `'${name}'`).join(', ')}`;
  return (option, value) => {
    if (typeof value !== 'string') throw new TypeError(complaint(option, rule, value));
    if (!allowed.includes(value)) throw new RangeError(complaint(option, rule, value));
  };
}

/**
 * Checks every given option against a table; `undefined` counts as not given.
 *
 * @param owner what the options belong to, for the message: `'Limiter'`.
 * @param hint added to the complaint about an unknown key
 * @param prefix of options that stand inside another one: `'adaptive.'`
 */
export function checkOptions(
  owner: string,
  options: unknown,
  table: Readonly<Record<string, OptionCheck>>,
  hint = '',
  prefix = '',
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(complaint(`${owner} options`, 'an object', options));
  }
  for (const [key, value] of Object.entries(options)) {
    const check = Object.hasOwn(table, key) ? table[key] : undefined;
    if (check === undefined)
      throw new TypeError(unknownKey(`${owner} option`, key, Object.keys(table), hint));
    if (value !== undefined) check(`${prefix}${key}`, value);
  }
}

/** Whether an option that is given again says the same: objects are compared by their entries. */
export function sameOption(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const left = Object.entries(a);
  const right = b as Record<string, unknown>;
  return (
    left.length === Object.keys(right).length && left.every(([key, value]) => Object.is(right[key], value))
  );
}

/** The one form of all option errors: option, rule, value and its type. */
export function complaint(option: string, rule: string, value: unknown): string {
  return `floodgate: ${option} must be ${rule}, got ${show(value)}`;
}

/** A value and its type, for messages. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  switch (typeof value) {
    case 'string':
      return `'${value}' (string)`;
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'symbol':
      return `${String(value)} (${typeof value})`;
    case 'function':
      return value.name === '' ? 'a function' : `function ${value.name}`;
    default:
      return Array.isArray(value) ? 'an array' : `an object (${value.constructor?.name ?? 'no prototype'})`;
  }
}

/** Names what is unknown, and what was probably meant. */
export function unknownKey(what: string, key: string, known: readonly string[], hint = ''): string {
  const near =
    known.find((name) => OTHER_WORDS.get(key)?.includes(name)) ??
    known.find((name) => distance(name.toLowerCase(), key.toLowerCase()) <= 2);
  const suggestion = near === undefined ? `known: ${known.join(', ')}` : `did you mean '${near}'?`;
  return `floodgate: unknown ${what} '${key}' (${suggestion})${hint === '' ? '' : `; ${hint}`}`;
}

/** What others call it, or the same thing elsewhere. */
const OTHER_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['limit', ['maxConcurrentOps']],
  ['max', ['maxConcurrentOps']],
  ['concurrency', ['maxConcurrentOps']],
  ['maxConcurrency', ['maxConcurrentOps']],
  ['maxConcurrent', ['maxConcurrentOps']],
  ['maxInFlight', ['maxConcurrentOps']],
  ['maxLimit', ['max', 'maxConcurrentOps']],
  ['maxConcurrentOps', ['max']],
  ['minLimit', ['min']],
  ['initialLimit', ['initial']],
  ['attempts', ['maxAttempts']],
  ['retries', ['maxAttempts']],
  ['maxRetries', ['maxAttempts']],
]);

/** Levenshtein distance, for "did you mean": runs once, on the way to an error. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
