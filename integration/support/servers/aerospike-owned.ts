import type { AerospikeServer } from './aerospike-server.js';

/** What a way must be able to do with the server it has started; `ownedAerospike` sees to the order. */
export interface AerospikeEngine {
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

type Facts = Pick<AerospikeServer, 'hosts' | 'way' | 'version' | 'startedInMs' | 'double'>;

/** One operation at a time, in the order of the calls, and none on a closed server. */
export function ownedAerospike<F extends Facts>(facts: F, engine: AerospikeEngine): AerospikeServer & F {
  let state: 'awake' | 'paused' | 'closed' = 'awake';
  let last: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;

  const inTurn = (operation: () => Promise<void>): Promise<void> => {
    const turn = last.then(operation);
    last = turn.catch(() => {});
    return turn;
  };
  const whenOpen = (operation: () => Promise<void>) =>
    inTurn(() => {
      if (state === 'closed') throw new Error('this Aerospike server was closed');
      return operation();
    });
  const resume = async () => {
    if (state === 'paused') await engine.resume();
    state = 'awake';
  };
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
    stop: () => whenOpen(() => resume().then(engine.stop)),
    start: () => whenOpen(() => resume().then(engine.start)),
    close,
    [Symbol.asyncDispose]: close,
  };
}
