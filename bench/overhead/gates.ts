import { Sema } from 'async-sema';
import { bulkhead } from 'cockatiel';
import fastq from 'fastq';
import { Limiter } from 'floodgate';
import CircuitBreaker from 'opossum';
import pLimit from 'p-limit';
import { BareCounter } from './bare-counter.js';

/** Runs a function under a limit. */
export type Run = (fn: () => Promise<number>) => Promise<number>;

/** The gates, each made with its limit and otherwise as its README says. */
export const gates = {
  'bare counter': (limit: number): Run => {
    const counter = new BareCounter(limit);
    return (fn) => counter.run(fn);
  },
  floodgate: (limit: number): Run => {
    const limiter = new Limiter({ maxConcurrentOps: limit });
    return (fn) => limiter.run(fn);
  },
  'floodgate, adaptive': (limit: number): Run => {
    // From its full limit on: what it costs, not where it goes.
    const limiter = new Limiter({ maxConcurrentOps: limit, adaptive: { initial: limit } });
    return (fn) => limiter.run(fn);
  },
  'cockatiel bulkhead': (limit: number): Run => {
    const policy = bulkhead(limit, 0);
    return (fn) => policy.execute(fn);
  },
  'async-sema': (limit: number): Run => {
    const sema = new Sema(limit);
    return async (fn) => {
      await sema.acquire();
      try {
        return await fn();
      } finally {
        sema.release();
      }
    };
  },
  fastq: (limit: number): Run => {
    const queue = fastq.promise<unknown, () => Promise<number>, number>((fn) => fn(), limit);
    return (fn) => queue.push(fn);
  },
  'p-limit': (limit: number): Run => {
    const limited = pLimit(limit);
    return (fn) => limited(fn);
  },
  'opossum capacity': (limit: number): Run => {
    const breaker = new CircuitBreaker<number>((fn) => fn(), { capacity: limit, timeout: false });
    return (fn) => breaker.fire(fn);
  },
} satisfies Record<string, (limit: number) => Run>;

export type GateName = keyof typeof gates;
