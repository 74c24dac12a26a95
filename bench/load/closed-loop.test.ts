import { expect, test } from 'vitest';
import { closedLoop } from './closed-loop.js';
import { VirtualClock } from './virtual-clock.js';
import { VirtualServer } from './virtual-server.js';

test('a closed loop finds the capacity, the warm-up left out', async () => {
  const clock = new VirtualClock();
  const { call } = new VirtualServer({ clock, width: 10, serviceMs: 20 });
  const measured = closedLoop({ callers: 10, seconds: 4, warmUpSeconds: 1, call, clock });
  await clock.pause(6000);
  const { perSecond, bySecond, latency } = await measured;
  expect(perSecond).toBe(500);
  expect(bySecond).toEqual([500, 500, 500, 500]);
  expect(latency.percentile(0.5)! / 20).toBeCloseTo(1, 1);
});

test('a closed loop ends at the first call that fails', async () => {
  const clock = new VirtualClock();
  let calls = 0;
  const call = async () => {
    calls++;
    if (calls === 5) throw new Error('gone');
    await new Promise<void>((resolve) => clock.after(20, resolve));
  };
  const measured = closedLoop({ callers: 10, seconds: 4, warmUpSeconds: 1, call, clock });
  await expect(Promise.all([measured, clock.pause(6000)])).rejects.toThrow('gone');
  expect(calls).toBe(10);
});
