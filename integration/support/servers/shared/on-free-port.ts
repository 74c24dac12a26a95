import { freePort } from './free-port.js';

/** Starts on a free port, and on another one if that was taken meanwhile; five times at most. */
export async function onFreePort<Started>(
  start: (port: number) => Promise<Started>,
  isTaken: (error: Error) => boolean,
): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return await start(port);
    } catch (error) {
      if (!isTaken(error as Error) || attempt === 5) throw error;
    }
  }
}
