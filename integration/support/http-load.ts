import { Agent, get } from 'node:http';
import { openLoop } from './open-loop.js';

/*
 * Evenly spaced requests from a process of its own, so that nothing it does holds up who measures beside it:
 * `node build/integration/support/http-load.js <url> <requests a second> <milliseconds>`. Prints how many answers there
 * were of each status, as JSON.
 */

const [url, ratePerSecond, durationMs] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const answers: Record<string, number> = {};

function request(): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url!, { agent }, (response) => {
      const status = String(response.statusCode);
      response.resume().once('end', () => {
        answers[status] = (answers[status] ?? 0) + 1;
        resolve();
      });
    }).once('error', reject);
  });
}

const load = openLoop({ ratePerSecond: Number(ratePerSecond), durationMs: Number(durationMs) }, request);
const arrivals = await load.answered;
const failed = arrivals.filter(({ outcome }) => outcome === 'failed').length;
console.log(JSON.stringify({ ...answers, failed }));
agent.destroy();
