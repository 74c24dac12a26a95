import type { Scenario } from '../scenario.js';
import type { Target } from '../target.js';

/** Stopped where it stands for 5 s: nothing is answered, nothing fails. */
export function serverPaused(key: string, startTarget: () => Promise<Target>): Scenario {
  return {
    key: `paused-${key}`,
    title: 'The server stands still for 5 s',
    async start() {
      const target = await startTarget();
      return {
        target,
        shows: `At 1.5x. SIGSTOP, and SIGCONT 5 s later: ${target.bound}.`,
        times: 1.5,
        phases: [
          { name: 'before', enter: () => {} },
          { name: 'paused', enter: () => target.pause(), like: 0, idleSeconds: 5 },
          { name: 'after', enter: () => target.resume(), like: 0 },
        ],
        async [Symbol.asyncDispose]() {
          await target[Symbol.asyncDispose]();
        },
      };
    },
  };
}
