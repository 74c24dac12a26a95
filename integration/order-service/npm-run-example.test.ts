import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { startChildService } from '../support/child-service.js';
import { freePort } from '../support/servers/shared/free-port.js';
import { createOwnDatabase } from './support/own-database.js';

const { url } = inject('postgres');

test('the order service finds or starts its servers, says what to try, stands the load and ends at Ctrl-C', async () => {
  await using database = await createOwnDatabase(url);
  const [port, metricsPort] = [await freePort(), await freePort()];
  await using service = startChildService('examples/order-service/run.js', {
    FLOODGATE_PG_URL: database.url,
    DATABASE_URL: '',
    REDIS_URL: '',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
  });
  await service.line('Ctrl-C');
  const addresses = service.lines.flatMap(
    (line) => /http:\S+\/(orders\/1|readyz|metrics)\b/.exec(line)?.[0] ?? [],
  );
  expect(addresses.map((address) => new URL(address).pathname)).toEqual([
    '/orders/1',
    '/orders/1',
    '/readyz',
    '/metrics',
  ]);
  for (const address of addresses) expect((await fetch(address)).status).toBe(200);

  {
    await using load = startChildService('examples/order-service/load.js', {}, [addresses[0]!, '20']);
    await load.line('"200":');
    await sleep(1_100);
    const heard = load.lines.map((line) => JSON.parse(line) as Record<string, number>);
    expect(heard.length).toBeGreaterThan(1);
    expect(new Set(heard.flatMap((each) => Object.keys(each)))).toEqual(new Set(['200']));
    // Even: 20 a second, give or take what is under way.
    expect(Math.abs(heard[1]![200]! - 20)).toBeLessThan(10);
  }

  service.process.kill('SIGINT');
  const { code, afterMs } = await service.ended();
  // Nobody waits for a load balancer at a terminal.
  expect([code, afterMs < 4_000]).toEqual([0, true]);
});
