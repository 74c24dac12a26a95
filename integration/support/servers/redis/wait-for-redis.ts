import { Redis } from 'ioredis';
import { type UntilAnswered, untilAnswered } from '../shared/until-answered.js';

/** Asks until the server answers and has loaded its data; returns its version: `7.0.15`. */
export function waitForRedis({ url, ...options }: UntilAnswered & { readonly url: string }): Promise<string> {
  return untilAnswered(() => askOnce(url), options);
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
