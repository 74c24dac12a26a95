// Its own process: computes for half of the time, until its parent is gone.
import { setTimeout as sleep } from 'node:timers/promises';

const PERIOD_MS = 10;

process.on('disconnect', () => process.exit());

async function burn(): Promise<never> {
  for (;;) {
    const startedAt = performance.now();
    while (performance.now() < startedAt + PERIOD_MS / 2);
    await sleep(startedAt + PERIOD_MS - performance.now());
  }
}

if (process.send !== undefined) await burn();
