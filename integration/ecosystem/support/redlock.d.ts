/** What the tests use of redlock 4; its types are in a package of their own, which nothing else needs. */
declare module 'redlock' {
  import type { EventEmitter } from 'node:events';

  export interface Lock {
    readonly value: string;
    readonly attempts: number;
    unlock(): Promise<void>;
    extend(ttlMs: number): Promise<Lock>;
  }

  export default class Redlock extends EventEmitter {
    constructor(
      clients: readonly unknown[],
      options?: { retryCount?: number; retryDelay?: number; retryJitter?: number },
    );
    lock(resource: string | readonly string[], ttlMs: number): Promise<Lock>;
  }
}
