import type { Meter } from '@opentelemetry/api';
import type { Limiter } from '../core/limiter.js';
import { complaint, sameOption } from '../core/option-checks.js';
import type { InstrumentOptions } from './instrument-options.js';
import { type Histograms, makeHistograms, makeObservables, type Observables } from './instruments.js';
import { LimiterMetrics } from './limiter-metrics.js';
import type { SeriesOptions } from './series-options.js';

interface Attachment {
  readonly limiter: Limiter;
  /** With the defaults filled in. */
  readonly options: SeriesOptions & { readonly histograms: boolean };
  readonly metrics: LimiterMetrics;
  /** Undos that have not been called. */
  holders: number;
}

/** What is attached to one meter: each limiter once, each name once, or two limiters would write into one series. */
class Attachments {
  readonly #meter: Meter;
  readonly #observables: Observables;
  #histograms: Histograms | undefined;
  readonly #byName = new Map<string, Attachment>();

  constructor(meter: Meter) {
    this.#meter = meter;
    this.#observables = makeObservables(meter);
  }

  attach(limiter: Limiter, options: InstrumentOptions): () => void {
    const attachment = this.#attachmentOf(limiter, options) ?? this.#create(limiter, options);
    attachment.holders++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (--attachment.holders > 0) return;
      this.#byName.delete(attachment.options.name);
      attachment.metrics.detach();
    };
  }

  #attachmentOf(limiter: Limiter, options: InstrumentOptions): Attachment | undefined {
    const present = [...this.#byName.values()].find((attachment) => attachment.limiter === limiter);
    if (present === undefined) return undefined;
    for (const key of ['name', 'system', 'histograms', 'attributes'] as const) {
      if (options[key] === undefined || sameOption(options[key], present.options[key])) continue;
      throw new TypeError(
        complaint(key, 'the same for a limiter that is instrumented already on this meter', options[key]),
      );
    }
    return present;
  }

  #create(limiter: Limiter, options: InstrumentOptions): Attachment {
    const name = options.name ?? limiter.name;
    if (this.#byName.has(name)) {
      throw new TypeError(
        complaint('name', 'one that no other instrumented limiter has, or both would be one series', name),
      );
    }
    const system = options.system ?? limiter.gate.system ?? 'other';
    const histograms = this.#histogramsFor(options.histograms);
    const series = { name, system, attributes: options.attributes ?? {} };
    const attachment = {
      limiter,
      options: { ...series, histograms: histograms !== undefined },
      metrics: new LimiterMetrics(limiter, this.#meter, this.#observables, histograms, series),
      holders: 0,
    };
    this.#byName.set(name, attachment);
    return attachment;
  }

  #histogramsFor(wanted: boolean | undefined): Histograms | undefined {
    if (wanted === false) return undefined;
    if (typeof this.#meter.createHistogram !== 'function') {
      if (wanted === undefined) return undefined;
      throw new TypeError(complaint('histograms', 'false or absent for a meter that makes none', wanted));
    }
    this.#histograms ??= makeHistograms(this.#meter);
    return this.#histograms;
  }
}

const attachments = new WeakMap<Meter, Attachments>();

export function attachmentsOf(meter: Meter): Attachments {
  let found = attachments.get(meter);
  if (found === undefined) {
    found = new Attachments(meter);
    attachments.set(meter, found);
  }
  return found;
}
