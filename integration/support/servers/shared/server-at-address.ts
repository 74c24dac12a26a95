import type { Server } from './server.js';

/** Where the address of a server is found, and who gives one that is not shared. */
export interface AddressOfServer {
  readonly variable: string;
  /** As in `startPostgres`. */
  readonly starter: string;
}

/** A server that somebody else runs: it is used, and never paused, stopped or started. */
export async function serverAtAddress<Facts extends { readonly version: string }>(
  { variable, starter }: AddressOfServer,
  { dedicated }: { readonly dedicated?: boolean },
  connect: (address: string) => Promise<Facts>,
): Promise<Facts & Omit<Server<'address', never>, 'version'>> {
  const address = process.env[variable];
  if (!address) throw new Error(`${variable} is not set`);
  if (dedicated) throw new Error('a server of its own is asked for, and an address is shared');
  const began = performance.now();
  const facts = await connect(address);
  const startedInMs = Math.round(performance.now() - began);
  const refuse = (deed: string) => async () => {
    throw new Error(
      `will not ${deed} the server at ${variable}: it is not ours; ask ${starter} for { dedicated: true }`,
    );
  };
  const close = async () => {};
  return {
    ...facts,
    way: 'address',
    startedInMs,
    owned: false,
    pause: refuse('pause'),
    resume: refuse('resume'),
    stop: refuse('stop'),
    start: refuse('start'),
    close,
    [Symbol.asyncDispose]: close,
  };
}
