import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes on the heap, buffers included, once garbage is gone. */
export async function heapBytes(): Promise<number> {
  await freeHeap();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Collects garbage; what only weak references held until now is gone afterwards. */
export async function freeHeap(): Promise<void> {
  // A weak reference keeps its target until the turn of the event loop in which it was read is over.
  for (let round = 0; round < 3; round++) {
    await nextTurn();
    collectGarbage();
  }
}
