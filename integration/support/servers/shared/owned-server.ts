import type { Server } from './server.js';

/** What a way must be able to do with the server it has started; `ownedServer` sees to the order. */
export interface ServerEngine<StopMode> {
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Does nothing when the server is down. */
  stop(mode: StopMode): Promise<void>;
  /** Does nothing when the server is up. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * One operation at a time, in the order of the calls, and none on a closed server: a test's `close()` may meet
 * its own `start()` that is still under way.
 *
 * @param name of the kind of server, for the message
 * @param usualStop the mode of a `stop()` that names none
 */
export function ownedServer<Facts extends object, StopMode>(
  name: string,
  facts: Facts,
  engine: ServerEngine<StopMode>,
  usualStop: StopMode,
): Facts & Omit<Server<string, StopMode>, 'way' | 'version' | 'startedInMs'> {
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
      if (state === 'closed') throw new Error(`this ${name} server was closed`);
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
    stop: (mode = usualStop) =>
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
