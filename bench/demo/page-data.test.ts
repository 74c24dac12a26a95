import { expect, test } from 'vitest';
import { LoadRecorder } from '../load/load-recorder.js';
import { pageData } from './page-data.js';
import type { RunFigures } from './run-figures.js';

test('rates are per second, and a slice that was cut off is left out', () => {
  const recorder = new LoadRecorder(500);
  for (const at of [0, 100, 600, 1010]) recorder.offered(at, at);
  recorder.answered(0, 40, true);
  recorder.sample(10, 1, 40);
  const { runs } = pageData({
    server: 'PostgreSQL',
    capacity: 10,
    plan: { perSecond: 30, seconds: 1 },
    times: 3,
    results: [{ figures: {} as RunFigures, recorder, endedAtMs: 1020 }],
  });
  expect(runs[0]).toMatchObject({
    seconds: [0.25, 0.75],
    offered: [4, 2],
    inTime: [2, 0],
    late: [null, null],
    p99: [expect.closeTo(40, 0), null],
    inFlight: [1, null],
    limit: [40, null],
  });
});
