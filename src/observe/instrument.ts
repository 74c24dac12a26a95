import { createNoopMeter, type Meter, metrics } from '@opentelemetry/api';
import { type HasLimiter, limiterOf } from '../core/limiter-of.js';
import { attachmentsOf } from './attachments.js';
import { checkInstrumentOptions, type InstrumentOptions } from './instrument-options.js';

/** A limiter, or what has one: a wrapped client, a class of `limitClientClass`, a module of `limitDriver`. */
export type Instrumented = HasLimiter;

/**
 * Reports a limiter through OpenTelemetry, until the returned function is called.
 *
 * Instruments: `floodgate.limit`, `.limit.min`, `.limit.max`, `.in_flight`, `.waiting`, `.permit.oldest_age` (gauges),
 * `floodgate.admitted`, `.rejected`, `.limit.changes` (counters, since the limiter was made; changes since this call),
 * `db.client.operation.duration`, `db.client.connection.wait_time`, `db.client.connection.create_time` (histograms, in
 * seconds). Gauges and counters are read when they are collected; only the histograms cost an operation something.
 *
 * A limiter that is instrumented twice on one meter is counted once, until every undo has been called.
 *
 * @param target a limiter, or a wrapped client
 * @returns ends it; calling it again does nothing. A pool that is thrown away must be let go by it. The gauges go to zero,
 *   the counters stay as they are: OpenTelemetry's SDK has no way to take a series back.
 * @throws TypeError if another limiter of the same name is instrumented on this meter: give it another name, or `name`
 * @throws TypeError | RangeError naming the option, the rule and the value
 */
export function instrument(target: Instrumented, options: InstrumentOptions = {}): () => void {
  const limiter = limiterOf('what instrument() takes', target);
  checkInstrumentOptions(options);
  const meter = options.meter ?? globalMeter();
  // It discards everything; nothing should be timed for it.
  if (meter === createNoopMeter()) return () => {};
  return attachmentsOf(meter).attach(limiter, options);
}

let warned = false;

function globalMeter(): Meter {
  const meter = metrics.getMeter('floodgate');
  if (meter === createNoopMeter() && !warned) {
    warned = true;
    process.emitWarning(
      'instrument() found no OpenTelemetry meter provider, so nothing will be recorded: register one before, or pass a meter',
      { type: 'FloodgateWarning', code: 'FLOODGATE_NO_METER_PROVIDER' },
    );
  }
  return meter;
}
