export interface Exposition {
  /** As it was served. */
  readonly text: string;
  /** Type of each metric, by name: `counter`, `gauge`, `histogram`. */
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly ExposedSample[];
}

export interface ExposedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What Prometheus would get at this address. */
export async function scrape(url: string): Promise<Exposition> {
  const answer = await fetch(url);
  return parse(await answer.text());
}

/** The text format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
function parse(text: string): Exposition {
  const types = new Map<string, string>();
  const samples: ExposedSample[] = [];
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type !== null) types.set(type[1]!, type[2]!);
    const sample = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (sample !== null)
      samples.push({ name: sample[1]!, labels: labelsOf(sample[2]), value: Number(sample[3]) });
  }
  return { text, types, samples };
}

function labelsOf(text = ''): Record<string, string> {
  const labels = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return Object.fromEntries(labels.map(([, name, value]) => [name!, value!]));
}
