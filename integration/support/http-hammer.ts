import type { IncomingHttpHeaders } from 'node:http';
import autocannon from 'autocannon';

/** What a load has been told: whole answers by status, and why requests got none. */
export interface Heard {
  readonly answers: Record<number, number>;
  readonly errors: Record<string, number>;
}

export interface Hammer extends Heard {
  stop(): Promise<void>;
}

export interface HammerOptions {
  /** Requests under way at once, at most. */
  readonly connections: number;
  /** Requests a second, at most. @default no bound */
  readonly overallRate?: number;
  readonly onAnswer?: (status: number, headers: IncomingHttpHeaders) => void;
}

/** Requests, whatever the service says to them, until it is stopped. */
export function hammer(url: string, { onAnswer, ...pace }: HammerOptions): Hammer {
  const answers: Record<number, number> = {};
  const errors: Record<string, number> = {};
  let finish: () => void;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const requests: autocannon.Request[] = [
    { onResponse: (status, _body, _context, headers) => onAnswer?.(status, headers as IncomingHttpHeaders) },
  ];
  const load = autocannon({ url, duration: 60, timeout: 30, requests, ...pace }, () => finish());
  load.on('response', (_, status) => {
    answers[status] = (answers[status] ?? 0) + 1;
  });
  load.on('reqError', (error: NodeJS.ErrnoException) => {
    const code = error.code ?? error.message;
    errors[code] = (errors[code] ?? 0) + 1;
  });
  const stop = () => {
    load.stop();
    return done;
  };
  return { answers, errors, stop };
}

export function answersOf({ answers }: Heard): number {
  return Object.values(answers).reduce((sum, count) => sum + count, 0);
}
