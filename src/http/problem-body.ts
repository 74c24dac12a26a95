import type { BackpressureError } from '../core/backpressure-error.js';
import type { HttpSettings } from './http-options.js';
import type { BodyForm } from './preferred-form.js';

const LONGEST_TEXT = 100;

export interface ProblemBody {
  readonly contentType: string;
  readonly text: string;
}

/** The rejection as a problem (RFC 9457), or its title and detail as a page or as plain text. */
export function problemBody(
  form: BodyForm,
  error: BackpressureError,
  settings: HttpSettings,
  retryAfterSeconds: number,
): ProblemBody {
  const { type, title } = settings;
  const detail = settings.detail ?? defaultDetail(retryAfterSeconds);
  switch (form) {
    case 'json': {
      const problem = { type, title, status: 503, detail, retryAfterSeconds, ...exposed(error, settings) };
      return { contentType: 'application/problem+json', text: JSON.stringify(problem) };
    }
    case 'html':
      return { contentType: 'text/html; charset=utf-8', text: page(escaped(title), escaped(detail)) };
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', text: `${title}\n${detail}\n` };
    default:
      return form satisfies never;
  }
}

function defaultDetail(seconds: number): string {
  const when = seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `The service has as much work as it can do. Please try again in ${when}.`;
}

function exposed(error: BackpressureError, { expose }: HttpSettings): Record<string, unknown> {
  return Object.fromEntries(expose.map((field) => [field, cut(error[field])]));
}

/** An error of another copy may hold anything there; what JSON can't write is left out. */
function cut(value: unknown): string | number | undefined {
  if (typeof value === 'string') return value.slice(0, LONGEST_TEXT);
  return typeof value === 'number' ? value : undefined;
}

function page(title: string, detail: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1><p>${detail}</p></body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
