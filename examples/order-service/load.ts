/*
 * Even load: so many requests a second, whatever becomes of them, since users don't wait for each other.
 *
 *     node build/examples/order-service/load.js http://localhost:3000/orders/1 600
 *
 * A line a second tells what came back, by status.
 */
import { Agent, get } from 'node:http';

const [url = 'http://localhost:3000/orders/1', rate = '600'] = process.argv.slice(2);
const everyMs = 1000 / Number(rate);
if (!(everyMs > 0)) throw new RangeError(`requests a second must be a number above 0, got '${rate}'`);

const agent = new Agent({ keepAlive: true });
let answers: Record<string, number> = {};

function count(what: string | number | undefined): void {
  if (what !== undefined) answers[what] = (answers[what] ?? 0) + 1;
}

function ask(): void {
  get(url, { agent }, (response) => response.resume().once('end', () => count(response.statusCode))).once(
    'error',
    (error: NodeJS.ErrnoException) => count(error.code ?? error.message),
  );
}

let due = performance.now();
setInterval(() => {
  for (; due <= performance.now(); due += everyMs) ask();
}, 5);
setInterval(() => {
  console.log(JSON.stringify(answers));
  answers = {};
}, 1000);
