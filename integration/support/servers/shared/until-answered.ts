import { setTimeout as sleep } from 'node:timers/promises';
import type { GivenUp } from './server.js';

/** How long an answer is waited for, and what ends the wait. */
export interface UntilAnswered {
  readonly deadlineMs: number;
  readonly givenUp?: GivenUp | undefined;
  /** Codes of errors that do not mend by waiting: a wrong password, say. */
  readonly hopeless?: ReadonlySet<string>;
}

/** Asks until there is an answer, which it returns; that a port is open proves nothing. */
export async function untilAnswered<Answer>(
  ask: (leftMs: number) => Promise<Answer>,
  { deadlineMs, givenUp, hopeless }: UntilAnswered,
): Promise<Answer> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    try {
      return await ask(Math.max(deadline - Date.now(), 1));
    } catch (error) {
      const reason = await givenUp?.();
      if (reason !== undefined) throw new Error(reason, { cause: error });
      const { code, message } = error as { code?: string; message: string };
      if (hopeless?.has(code ?? '')) throw error;
      if (Date.now() >= deadline) {
        throw new Error(`no answer within ${deadlineMs} ms: ${message || code}`, { cause: error });
      }
    }
    await sleep(20);
  }
}
