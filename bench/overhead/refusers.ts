import { Sema } from 'async-sema';
import { bulkhead } from 'cockatiel';
import { Limiter } from 'floodgate';
import CircuitBreaker from 'opossum';
import { BareCounter } from './bare-counter.js';

/** A full gate that refuses one operation each time it is asked, in its own fail-fast way. */
export type Refuse = () => unknown;

const noop = () => {};
const work = async () => 1;
const never = () => new Promise<number>(noop);
/** A rejection as a caller meets it: awaited and caught. */
const caught = (rejecting: Promise<unknown>) => rejecting.catch(noop);

/** Each made anew, its one permit taken for good. What has no way to refuse (p-limit, fastq) queues instead. */
export const refusers = {
  'floodgate run': (): Refuse => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    return () => caught(limiter.run(work));
  },
  'floodgate acquire': (): Refuse => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    return () => {
      try {
        return limiter.acquire();
      } catch {
        return undefined;
      }
    };
  },
  'floodgate tryAcquire': (): Refuse => {
    const limiter = new Limiter({ maxConcurrentOps: 1 });
    limiter.acquire();
    return () => limiter.tryAcquire();
  },
  'floodgate run, stackTraces': (): Refuse => {
    const limiter = new Limiter({ maxConcurrentOps: 1, stackTraces: true });
    limiter.acquire();
    return () => caught(limiter.run(work));
  },
  'bare counter': (): Refuse => {
    const counter = new BareCounter(1);
    void counter.run(never);
    return () => caught(counter.run(work));
  },
  'cockatiel bulkhead(1, 0)': (): Refuse => {
    const policy = bulkhead(1, 0);
    void policy.execute(never);
    return () => caught(policy.execute(work));
  },
  'async-sema tryAcquire': (): Refuse => {
    const sema = new Sema(1);
    sema.tryAcquire();
    return () => sema.tryAcquire();
  },
  'opossum capacity': (): Refuse => {
    // With its own threshold the refusals would open the circuit, and what is measured would be that.
    const breaker = new CircuitBreaker<number>((fn) => fn(), {
      capacity: 1,
      timeout: false,
      volumeThreshold: 1e9,
    });
    void breaker.fire(never);
    return () => caught(breaker.fire(work));
  },
} satisfies Record<string, () => Refuse>;
