import type { RedisServer, RedisStopMode } from './redis-server.js';

/** What a way must be able to do with the server it has started; `ownedRedis` sees to the order. */
export interface RedisEngine {
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Does nothing when the server is down. */
  stop(mode: RedisStopMode): Promise<void>;
  /** Does nothing when the server is up. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

export type RedisFacts = Pick<RedisServer, 'url' | 'host' | 'port' | 'way' | 'version' | 'startedInMs'>;

/** One operation at a time, in the order of the calls, and none on a closed server. */
export function ownedRedis(facts: RedisFacts, engine: RedisEngine): RedisServer {
  let state: 'awake' | 'paused' | 'closed' = 'awake';
  let last: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;

  const inTurn = (operation: () => Promise<void>): Promise<void> => {
    const turn = last.then(operation);
    last = turn.catch(() => {});
    return turn;
  };
  const resume = async () => {
    if (state !== 'paused') return;
    await engine.resume();
    state = 'awake';
  };
  const whenOpen = (operation: () => Promise<void>) =>
    inTurn(() => {
      if (state === 'closed') throw new Error('this Redis server was closed');
      return operation();
    });
  const close = () => {
    closing ??= inTurn(async () => {
      await resume();
      state = 'closed';
      await engine.remove();
    });
    return closing;
  };

  return {
    ...facts,
    owned: true,
    pause: () =>
      whenOpen(async () => {
        await engine.pause();
        state = 'paused';
      }),
    resume: () => whenOpen(resume),
    stop: (mode = 'save') =>
      whenOpen(async () => {
        await resume();
        await engine.stop(mode);
      }),
    start: () =>
      whenOpen(async () => {
        await resume();
        await engine.start();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
