/** Why an operation was not admitted. */
export type RejectReason =
  | 'limit'
  | 'bulkhead'
  | 'priority'
  | 'tenant'
  | 'queue-full'
  | 'queue-timeout'
  | 'shedding'
  | 'draining';

/** What a {@link BackpressureError} carries. Counts are permits, times are milliseconds. */
export interface BackpressureDetails {
  readonly reason: RejectReason;
  /** Name of the limiter that refused. */
  readonly limiter: string;
  /** Kind of operation, `'query'` for example; never SQL text, keys or values. */
  readonly operation: string;
  /** Class of the operation. @default 'default' */
  readonly operationClass?: string | undefined;
  /** Whose share is taken, for the message of a `'bulkhead'`. */
  readonly share?: string | undefined;
  readonly limit: number;
  readonly inFlight: number;
  /** How many permits the operation needs: an integer from 1. @default 1 */
  readonly weight?: number | undefined;
  /** When a new attempt makes sense, in milliseconds. */
  readonly retryAfterMs: number;
}

/** The same in every copy of the package that a process may have loaded, and across realms. */
const BRAND = Symbol.for('floodgate.BackpressureError');

const MESSAGES: Record<RejectReason, string> = {
  limit: 'every permit is taken',
  bulkhead: 'its share is taken',
  priority: "the priority's share is taken",
  tenant: "the tenant's share is taken",
  'queue-full': 'the queue is full',
  'queue-timeout': 'the wait in the queue was too long',
  shedding: 'unimportant work is being shed',
  draining: 'the limiter is draining',
};

/**
 * The operation was not admitted: nothing was sent, so a retry is always safe. The one error floodgate raises under
 * overload; answer it with HTTP 503 and `Retry-After`.
 *
 * `instanceof` works across copies of the package. It has no stack trace (`stack` is the one line of the message)
 * unless the limiter was made with `stackTraces: true`: a stack costs 3 to 15 microseconds, which overload can't spare.
 */
export class BackpressureError extends Error {
  readonly code = 'ERR_BACKPRESSURE';
  readonly statusCode = 503;
  readonly reason: RejectReason;
  readonly limiter: string;
  readonly operation: string;
  readonly operationClass: string;
  readonly limit: number;
  readonly inFlight: number;
  /** Permits that the operation would have taken. */
  readonly weight: number;
  readonly retryAfterMs: number;

  /** @param stackTrace whether to capture a stack. @default false */
  constructor(details: BackpressureDetails, stackTrace = false) {
    // Before the limit is touched: what can't be printed throws here.
    const why = details.share ?? shortage(details) ?? MESSAGES[details.reason];
    const message = `${details.limiter}: ${details.operation} rejected, ${why} (${details.inFlight} in flight, limit ${details.limit})`;
    const { stackTraceLimit } = Error;
    if (!stackTrace) setStackTraceLimit(0);
    super(message);
    if (!stackTrace) setStackTraceLimit(stackTraceLimit);
    this.reason = details.reason;
    this.limiter = details.limiter;
    this.operation = details.operation;
    this.operationClass = details.operationClass ?? 'default';
    this.limit = details.limit;
    this.inFlight = details.inFlight;
    this.weight = details.weight ?? 1;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** {@link retryAfterMs} for a `Retry-After` header: whole seconds, rounded up, at least 1. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil(this.retryAfterMs / 1000));
  }

  toJSON(): Record<string, unknown> {
    return {
      name: this.name,
      code: this.code,
      statusCode: this.statusCode,
      message: this.message,
      reason: this.reason,
      limiter: this.limiter,
      operation: this.operation,
      operationClass: this.operationClass,
      limit: this.limit,
      inFlight: this.inFlight,
      weight: this.weight,
      retryAfterMs: this.retryAfterMs,
      retryAfterSeconds: this.retryAfterSeconds,
    };
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A user's subclass keeps the ordinary meaning; only this class is recognised by brand.
    // biome-ignore lint/complexity/noThisInStatic: `this` is the subclass that was asked
    if (this !== BackpressureError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return hasBrand(value);
  }
}

Object.defineProperty(BackpressureError.prototype, BRAND, { value: true });
Object.defineProperty(BackpressureError.prototype, 'name', {
  value: 'BackpressureError',
  writable: true,
  configurable: true,
});

/** Where some permits are free, but not as many as the operation needs. */
function shortage({ reason, weight = 1, limit, inFlight }: BackpressureDetails): string | undefined {
  if (reason !== 'limit' || weight === 1 || inFlight >= limit) return undefined;
  return `it needs ${weight} permits, ${limit - inFlight} of ${limit} are free`;
}

/** Hardened processes freeze `Error`; there a stack is captured after all. */
function setStackTraceLimit(limit: number): void {
  try {
    Error.stackTraceLimit = limit;
  } catch {}
}

function hasBrand(value: unknown): value is BackpressureError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
}
