/**
 * Answers per second that the server gives to this many callers at once, on this machine and at this moment. The best of
 * a few windows: noise only ever takes away.
 */
export async function capacityOf(call: () => Promise<unknown>, callers: number): Promise<number> {
  let best = 0;
  for (let window = 0; window < WINDOWS; window++) best = Math.max(best, await measure(call, callers));
  return best;
}

const WINDOWS = 3;
const WINDOW_MS = 500;

async function measure(call: () => Promise<unknown>, callers: number): Promise<number> {
  let answers = 0;
  const begin = performance.now();
  const worker = async () => {
    while (performance.now() - begin < WINDOW_MS) {
      await call();
      answers++;
    }
  };
  await Promise.all(Array.from({ length: callers }, worker));
  return (answers * 1000) / (performance.now() - begin);
}
