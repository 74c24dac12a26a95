import { Limiter } from 'floodgate';

/** For what needs no database: a call that is rejected, each time. */
export function rejectedCall(): () => Promise<never> {
  const limiter = new Limiter({ name: 'orders', maxConcurrentOps: 1 });
  limiter.acquire();
  return () => limiter.run<never>(() => Promise.reject(new Error('admitted')));
}
