import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { note } from '../field-cases/support/note.js';
import { answersOf, hammer } from '../support/http-hammer.js';
import { type ExampleService, startExample } from './example-service.js';

const { url } = inject('postgres');

/** The service's own account: `answered 7 of 7`. */
function account({ lines }: ExampleService): { answered: number; accepted: number } {
  const [, answered, accepted] = /^answered (\d+) of (\d+)$/.exec(lines.at(-1) ?? '') ?? [];
  return { answered: Number(answered), accepted: Number(accepted) };
}

/** One request of a careful client: keeps its connection, and knows whether the answer is whole. */
function request(address: string, agent: Agent): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(address, { agent }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body }));
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** What /readyz says, over a connection of its own, as probes do. */
async function isReady(address: string): Promise<boolean> {
  const agent = new Agent();
  return (await request(`${address}/readyz`, agent)).status === 200;
}

describe('SIGTERM in the middle of an overload', () => {
  test('loses no accepted request, though the load never stops', async () => {
    await using service = await startExample(url, {
      QUERY: 'select pg_sleep(0.05)',
      NOTICE_MS: '500',
      DEADLINE_MS: '8000',
    });
    const load = hammer(service.address, { connections: 40, overallRate: 1_000 });
    await sleep(1_500);
    expect(await isReady(service.address)).toBe(true);
    service.process.kill('SIGTERM');
    const end = service.ended();
    await sleep(100);
    expect(await isReady(service.address)).toBe(false);
    const { code, signal, afterMs } = await end;
    await load.stop();

    const { accepted, answered } = account(service);
    note('shutdown under load', { accepted, answered, afterMs, ...load.answers });
    expect([code, signal]).toEqual([0, null]);
    // Long before its deadline: no client keeps it by a connection that is always busy.
    expect(afterMs).toBeLessThan(4_000);
    expect(Object.keys(load.answers)).toEqual(['200', '503']);
    // Whoever came before the end of the listening has a whole answer; the others were never accepted.
    expect(answered).toBe(accepted);
    expect(answersOf(load)).toBe(accepted);
    expect(load.errors.ECONNREFUSED).toBeGreaterThan(0);
    expect(
      Object.keys(load.errors).filter((code) => code !== 'ECONNREFUSED' && code !== 'ECONNRESET'),
    ).toEqual([]);
  });

  test('behind a load balancer that heeds /readyz, no client sees anything of it', async () => {
    await using service = await startExample(url, {
      QUERY: 'select pg_sleep(0.02)',
      NOTICE_MS: '1000',
      DEADLINE_MS: '8000',
    });
    const agent = new Agent({ keepAlive: true });
    let inRotation = true;
    const statuses: Record<number, number> = {};
    const client = async () => {
      while (inRotation) {
        // A failure fails the test: every request is sent while the balancer believes it is ready.
        const { status, body } = await request(service.address, agent);
        JSON.parse(body);
        statuses[status] = (statuses[status] ?? 0) + 1;
        await sleep(5);
      }
    };
    const balancer = async () => {
      while (inRotation) {
        await sleep(200);
        inRotation = await isReady(service.address);
      }
    };
    const everything = Promise.all([balancer(), ...Array.from({ length: 15 }, client)]);
    await sleep(1_000);
    service.process.kill('SIGTERM');
    const end = service.ended();
    await everything;
    expect((await end).code).toBe(0);
    agent.destroy();
    const total = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    expect(account(service)).toEqual({ answered: total, accepted: total });
    expect(Object.keys(statuses)).toEqual(['200']);
    expect(total).toBeGreaterThan(200);
  });
});

describe('SIGTERM while every query hangs', () => {
  test('ends by its deadline, and whoever waited is told 503', async () => {
    await using service = await startExample(url, {
      QUERY: 'select pg_sleep(60)',
      NOTICE_MS: '200',
      DEADLINE_MS: '2000',
      LAST_MS: '500',
    });
    const agent = new Agent();
    const answers = Promise.all(Array.from({ length: 15 }, () => request(service.address, agent)));
    await sleep(500);
    service.process.kill('SIGTERM');
    const { code, afterMs } = await service.ended();
    expect(code).toBe(0);
    expect(afterMs).toBeLessThan(2_500);
    expect((await answers).map(({ status }) => status)).toEqual(Array(15).fill(503));
    expect(account(service)).toEqual({ answered: 15, accepted: 15 });
  });

  test('a second signal changes nothing', async () => {
    await using service = await startExample(url, {
      NOTICE_MS: '300',
      DEADLINE_MS: '3000',
    });
    service.process.kill('SIGTERM');
    const end = service.ended();
    await sleep(100);
    service.process.kill('SIGTERM');
    service.process.kill('SIGINT');
    const { code, afterMs } = await end;
    expect(code).toBe(0);
    expect(afterMs).toBeGreaterThan(290);
    expect(service.lines.slice(1)).toEqual(['SIGTERM: not ready', 'answered 0 of 0']);
  });
});
