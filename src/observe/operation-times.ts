import type { Attributes } from '@opentelemetry/api';
import type { Limiter } from '../core/limiter.js';
import type { Outcome } from '../core/outcome.js';
import type { Histograms } from './instruments.js';
import type { SeriesOptions } from './series-options.js';

/**
 * Records how long operations, waits and connecting took. The only part of the metrics that costs an operation
 * something: every one is timed, and the SDK takes about a microsecond to find its series.
 */
export function recordTimes(limiter: Limiter, histograms: Histograms, options: SeriesOptions): () => void {
  const common = {
    ...options.attributes,
    'floodgate.limiter': options.name,
    'db.system.name': options.system,
  };
  const ofPool = { ...common, 'db.client.connection.pool.name': options.name };
  const ofClass = new Map<string, Record<Outcome, Attributes>>();
  return limiter.subscribe({
    onLatency: (operationClass, latencyMs, outcome) => {
      let attributes = ofClass.get(operationClass);
      if (attributes === undefined) {
        attributes = byOutcome({ ...common, 'db.operation.name': operationClass });
        ofClass.set(operationClass, attributes);
      }
      histograms.duration.record(latencyMs / 1000, attributes[outcome]);
    },
    onPoolWait: (waitMs) => histograms.waitTime.record(waitMs / 1000, ofPool),
    onConnectTime: (connectMs) => histograms.createTime.record(connectMs / 1000, ofPool),
  });
}

function byOutcome(succeeded: Attributes): Record<Outcome, Attributes> {
  const failed = { ...succeeded, 'error.type': 'failed' };
  const overload = { ...succeeded, 'error.type': 'overload' };
  // Nothing is heard of what was ignored.
  return { success: succeeded, failed, overload, ignored: succeeded };
}
