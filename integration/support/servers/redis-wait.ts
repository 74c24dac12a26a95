import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

interface Wait {
  readonly url: string;
  readonly deadlineMs: number;
  /** Why there is nothing more to wait for. */
  readonly givenUp?: () => Promise<string | undefined> | string | undefined;
}

/** Asks until the server answers and has loaded its data; returns its version. */
export async function waitForRedis({ url, deadlineMs, givenUp }: Wait): Promise<string> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    try {
      return await askOnce(url);
    } catch (error) {
      const reason = await givenUp?.();
      if (reason !== undefined) throw new Error(reason, { cause: error });
      if (Date.now() > deadline) {
        throw new Error(`no answer in ${deadlineMs} ms: ${(error as Error).message}`, { cause: error });
      }
      await sleep(10);
    }
  }
}

async function askOnce(url: string): Promise<string> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 5_000 });
  let failure: Error | undefined;
  client.on('error', (error) => {
    failure = error;
  });
  try {
    await client.connect();
    const info = await client.info('server');
    return /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown';
  } catch (error) {
    throw failure ?? error;
  } finally {
    client.disconnect();
  }
}
