import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { callListener } from './call-listener.js';

let emitWarning: MockInstance<typeof process.emitWarning>;
beforeEach(() => {
  emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
});
afterEach(() => emitWarning.mockRestore());

const warnings = () => emitWarning.mock.calls.map(([message]) => String(message).split(';')[0]);

test('a listener is given the event; none is fine', () => {
  const seen: unknown[] = [];
  callListener('onX', (event) => seen.push(event), 'it');
  callListener('onX', undefined, 'it');
  expect(seen).toEqual(['it']);
});

test('what it throws is reported once', () => {
  const broken = () => {
    throw new Error('broken');
  };
  callListener('onThrow', broken, 1);
  callListener('onThrow', broken, 2);
  expect(warnings()).toEqual(['onThrow threw']);
});

test('so is what an asynchronous one rejects with; an unhandled rejection would fail this run', async () => {
  const broken = async () => {
    throw new Error('broken later');
  };
  callListener('onReject', broken, 1);
  callListener('onReject', broken, 2);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings()).toEqual(['onReject threw']);
});
