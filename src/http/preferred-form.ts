/** How the body of a response may be written. */
export type BodyForm = 'json' | 'html' | 'text';

/** In the order of our own preference. */
const FORMS: readonly { readonly form: BodyForm; readonly mediaTypes: readonly string[] }[] = [
  { form: 'json', mediaTypes: ['application/problem+json', 'application/json'] },
  { form: 'html', mediaTypes: ['text/html'] },
  { form: 'text', mediaTypes: ['text/plain'] },
];
/** Ranges looked at. Browsers send fewer than ten. */
const MOST_RANGES = 64;

interface MediaRange {
  // In lower case: 'text/html', 'text/*', '*/*'.
  readonly name: string;
  readonly quality: number;
}

/**
 * What the sender of this `Accept` header likes best (RFC 9110, section 12.5.1). JSON where all is one to it, where it
 * says nothing, and where it accepts none of the three: an answer in the wrong form says more than a 406.
 */
export function preferredForm(accept: string | null | undefined): BodyForm {
  if (typeof accept !== 'string') return 'json';
  const ranges = accept.split(',', MOST_RANGES).map(mediaRange);
  let preferred: BodyForm = 'json';
  let highest = 0;
  for (const { form, mediaTypes } of FORMS) {
    const quality = qualityOf(mediaTypes, ranges);
    if (quality > highest) {
      preferred = form;
      highest = quality;
    }
  }
  return preferred;
}

// The most specific range decides: one of its names, then 'text/*', then '*/*'.
function qualityOf(mediaTypes: readonly string[], ranges: readonly MediaRange[]): number {
  const group = `${mediaTypes[0]!.split('/')[0]}/*`;
  for (const names of [mediaTypes, [group], ['*/*']]) {
    const matching = ranges.filter(({ name }) => names.includes(name));
    if (matching.length > 0) return Math.max(...matching.map(({ quality }) => quality));
  }
  return 0;
}

function mediaRange(text: string): MediaRange {
  const [name, ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { name: name!, quality: quality >= 0 && quality <= 1 ? quality : 1 };
}
