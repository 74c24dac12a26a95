import fc from 'fast-check';
import { expect, test } from 'vitest';
import { preferredForm } from './preferred-form.js';

const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

test.each([
  // Nothing said, or all the same.
  [undefined, 'json'],
  [null, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['text/plain, text/html, application/json', 'json'],
  // One of them.
  ['application/problem+json', 'json'],
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['text/html', 'html'],
  ['text/plain', 'text'],
  ['TEXT/HTML; charset=utf-8', 'html'],
  ['text/*', 'html'],
  [FIREFOX, 'html'],
  // Weights.
  ['text/html;q=0.5, text/plain', 'text'],
  ['text/html;q=0.5, text/plain;q=0.4, */*;q=0.1', 'html'],
  ['application/json;q=0.2, text/plain; q=0.3', 'text'],
  ['text/html;level=1;q=0.4, text/plain;q=0.5', 'text'],
  ['text/html, application/problem+json;q=0', 'html'],
  // The more specific range decides.
  ['text/*;q=0.9, text/html;q=0.1', 'text'],
  ['*/*, application/json;q=0.1', 'html'],
  ['*/*, application/*;q=0.1, text/html;q=0', 'text'],
  // None of them: an answer all the same.
  ['image/png', 'json'],
  ['application/vnd.api+json', 'json'],
  ['text/html;q=0', 'json'],
  ['*/*;q=0', 'json'],
  // Not well formed.
  ['text/html;q=high', 'html'],
  ['text/html;q=-1, text/plain;q=0.9', 'html'],
  [';;,,', 'json'],
  ['q=1', 'json'],
])('Accept: %s is answered with %s', (accept, form) => {
  expect(preferredForm(accept)).toBe(form);
});

test('a range after the 64th is not looked at', () => {
  const others = Array.from({ length: 63 }, (_, index) => `image/x-${index}`);
  expect(preferredForm([...others, 'text/plain'].join(','))).toBe('text');
  expect(preferredForm(['image/png', ...others, 'text/plain'].join(','))).toBe('json');
});

test('property: any header has an answer, and the order of its ranges does not matter', () => {
  const range = fc
    .tuple(
      fc.constantFrom('*/*', 'text/*', 'text/html', 'text/plain', 'application/json', 'image/png'),
      fc.integer({ min: 0, max: 1000 }),
    )
    .map(([name, quality]) => `${name};q=${quality / 1000}`);
  fc.assert(
    fc.property(fc.array(range, { maxLength: 8 }), (ranges) => {
      expect(preferredForm(ranges.join(', '))).toBe(preferredForm([...ranges].reverse().join(',')));
    }),
  );
  fc.assert(
    fc.property(fc.string(), (accept) => {
      expect(['json', 'html', 'text']).toContain(preferredForm(accept));
    }),
  );
});
