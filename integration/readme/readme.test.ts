import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transformWithOxc } from 'vite';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import { startMysql } from '../support/servers/mysql/start-mysql.js';
import { startRedis } from '../support/servers/redis/start-redis.js';
import { readmeExamples } from './readme-examples.js';

/** The examples that stand on their own, by their headings. */
const COMPLETE: readonly string[] = [
  'Fifteen lines that work',
  'MySQL and MariaDB: `floodgate/mysql2`',
  'Libraries on mysql2',
  'Redis: `floodgate/ioredis`',
  'Aerospike: `floodgate/aerospike`',
  'Your own operations: `Limiter`',
  'Log lines and other listeners',
  'A controller of your own',
];

/**
 * What a fragment needs around it, and what it prints. Every example of the README has an entry here: one without is a
 * failure. They run as plain modules, without their types, that import the built package by its name.
 */
const RUNS: Readonly<Record<string, { before?: string; after?: string; prints: RegExp }>> = {
  'Fifteen lines that work': { prints: /^42\n0\n$/ },
  '`new LimitedPool(pg.Pool, options?, config?)`': {
    before: POOL('{}'),
    after: 'console.log(pool.limiter.inFlight, pool.idleCount); await pool.end();',
    prints: /^1\n2\n[\d\n]+\n1000\n0 1\n$/,
  },
  'Nested checkouts': {
    before: "import pg from 'pg'; import { LimitedPool } from 'floodgate/pg'; process.env.PGHOST; ",
    after:
      "console.log(rows[0].nextval, pool.limiter.stats().classes.nested.admitted); await client.query('rollback'); client.release(); await pool.end();",
    prints: /^1 1\n$/,
  },
  '`new LimitedClient(pg.Client, options?, config?)` and `limitClientClass(pg.Client, options?)`': {
    before:
      "import pg from 'pg'; import { Sequelize } from 'sequelize'; const url = process.env.DATABASE_URL;",
    after:
      "const [rows] = await sequelize.query('select 1 as one', { logging: false }); console.log(rows[0].one); await sequelize.close();",
    prints: /^1\n$/,
  },
  'MySQL and MariaDB: `floodgate/mysql2`': {
    after: 'console.log(pool.limiter.stats().succeeded); await pool.end();',
    prints: /^42\n1\n$/,
  },
  'Libraries on mysql2': {
    after: `console.log(driver.limiter.name, typeof sequelize.query); await sequelize.close();`,
    prints: /^mysql2 function\n$/,
  },
  'Redis: `floodgate/ioredis`': {
    after: 'console.log(redis.limiter.inFlight); await redis.quit();',
    prints: /^Ada\n2\n0\n$/,
  },
  'BullMQ, session stores, lock libraries': {
    before: `import { Redis } from 'ioredis'; import { LimitedRedis } from 'floodgate/ioredis';
      const url = process.env.REDIS_URL; let done; const sent = new Promise((resolve) => { done = resolve; }); const send = async (job) => done(job.name);`,
    after:
      "await queue.add('hello', {}); console.log(await sent); await worker.close(); await queue.close(); process.exit(0);",
    prints: /^hello\n$/,
  },
  'Aerospike: `floodgate/aerospike`': {
    after: 'console.log(client.limiter.stats().succeeded); await client.close();',
    prints: /^Ada\n2\n$/,
  },
  'Catch, wait, try again': {
    before: `import Aerospike from 'aerospike'; import { LimitedAerospike } from 'floodgate/aerospike';
      const client = new LimitedAerospike(Aerospike.Client, { maxConcurrentOps: 5 }, { hosts: process.env.AEROSPIKE_HOSTS });
      await client.connect(); await client.put(new Aerospike.Key('test', 'users', 42), { name: 'Ada' });`,
    after: 'client.close();',
    prints: /^50 5\n$/,
  },
  'Your own operations: `Limiter`': {
    before: "globalThis.fetch = async (url) => 'hits of ' + url;",
    after: 'console.log(hits, limiter.stats().succeeded, limiter.inFlight);',
    prints: /^hits of https:\/\/search\.internal\/\?q=1 2 0\n$/,
  },
  'HTTP: `floodgate/http`': {
    before: `${POOL('{ maxConcurrentOps: 1 }')} const held = await pool.connect();`,
    after: `const { statusCode, headers, body } = await app.inject('/users');
      console.log(statusCode, headers['cache-control'], headers['content-type'], JSON.parse(body).title);
      held.release(); await pool.end();`,
    prints: /^503 no-store application\/problem\+json Service Unavailable\n$/,
  },
  'Any other server': {
    before: `${POOL('{ maxConcurrentOps: 1 }')} const held = await pool.connect();`,
    after: `const request = new Request('http://localhost/', { headers: { accept: 'text/plain' } });
      const busy = await handle(request);
      console.log(busy.status, busy.headers.get('retry-after') <= 3, (await busy.text()).split('\\n')[0]);
      held.release(); console.log(await (await handle(request)).text()); await pool.end();`,
    prints: /^503 true Service Unavailable\n\[\{"one":1\}\]\n$/,
  },
  Retries: {
    before: POOL('{ maxConcurrentOps: 1, retryAfterMs: 10 }')
      // Full for the first attempt.
      .concat(' const client = await pool.connect(); setTimeout(() => client.release(), 5);'),
    after: 'console.log(budget.stats().calls, budget.stats().retries > 0); await pool.end();',
    prints: /^7\n1 true\n$/,
  },
  Health: {
    before: POOL('{}').concat(
      "import { Limiter } from 'floodgate'; const redis = { limiter: new Limiter() };",
    ),
    after: `server.listen(0, async () => {
        for (const path of ['livez', 'readyz', 'orders']) {
          const answer = await fetch(\`http://localhost:\${server.address().port}/\${path}\`);
          console.log(answer.status, await answer.text());
        }
        server.close(); await pool.end();
      });`,
    prints:
      /^200 \{"status":"live"\}\n200 \{"status":"ready","dependencies":\{"orders":\{"status":"up","required":true\},"cache":.*\}\}\n200 hello\n$/,
  },
  'In your framework': {
    before: `import express from 'express'; import fastify from 'fastify'; import Koa from 'koa';
      import { Health } from 'floodgate/health'; const health = new Health({ required: {} });
      const [expressApp, fastifyApp, koaApp] = [express(), fastify(), new Koa()];`,
    after: `import { createServer } from 'node:http';
      koaApp.use((ctx) => { ctx.body = 'koa'; });
      expressApp.get('/orders', (request, response) => response.send('express'));
      fastifyApp.get('/orders', () => 'fastify');
      await fastifyApp.ready();
      for (const listener of [expressApp, fastifyApp.routing, koaApp.callback()]) {
        const server = createServer(listener);
        await new Promise((resolve) => server.listen(0, resolve));
        for (const path of ['readyz', 'orders']) {
          const answer = await fetch(\`http://localhost:\${server.address().port}/\${path}\`);
          console.log(answer.status, await answer.text());
        }
        server.close();
      }`,
    prints: /^(200 \{"status":"ready","dependencies":\{\}\}\n200 (express|fastify|koa)\n){3}$/,
  },
  'OpenTelemetry: `floodgate/opentelemetry`': {
    before: POOL("{ name: 'orders' }"),
    after: `await pool.query('select 1');
      const answer = await (await fetch('http://127.0.0.1:9464/metrics')).text();
      console.log(answer.match(/(floodgate_admitted_total|db_client_operation_duration_count)[{].*/g).join('\\n'));
      stop(); await provider.shutdown(); await pool.end();`,
    prints:
      /^floodgate_admitted_total\{floodgate_limiter="orders",floodgate_operation_class="query",.*\} 1\ndb_client_operation_duration_count\{floodgate_limiter="orders",db_system_name="postgresql",db_operation_name="query",.*\} 1\n$/,
  },
  'Log lines and other listeners': {
    before: `import { Limiter } from 'floodgate'; const limiter = new Limiter({ name: 'pg', maxConcurrentOps: 2 });`,
    after: `limiter.resize(1); limiter.acquire(); limiter.tryAcquire(); limiter.tryAcquire({ operation: 'get' });
      await new Promise((resolve) => setTimeout(resolve, 1100));`,
    prints:
      /^\{"level":30,.*"limiter":"pg","at":[\d.]+,"from":2,"to":1,"reason":"resize","msg":"limit moved"\}\n\{"level":40,.*"rejected":2,"msg":"work rejected"\}\n$/,
  },
  'Shutting down': {
    before: POOL('{}').concat(`
      import { createServer } from 'node:http'; import { setTimeout as sleep } from 'node:timers/promises';
      import { Health } from 'floodgate/health'; const health = new Health({ required: { orders: pool } });
      const NOTICE_MS = 100; const server = createServer((request, response) => void health.handler(request, response));
      await new Promise((resolve) => server.listen(0, resolve));`),
    after: `process.kill(process.pid, 'SIGTERM'); await sleep(50);
      const { status } = await fetch(\`http://localhost:\${server.address().port}/readyz\`);
      process.on('exit', () => console.log(status, pool.limiter.stats().state, pool.ended));`,
    prints: /^503 drained true\n$/,
  },
  'Adaptive control: a limit that finds itself': {
    before: "import pg from 'pg'; import { LimitedPool } from 'floodgate/pg';",
    after: 'console.log(pool.limiter.stats().adaptive.observe); await pool.end();',
    prints: /^20\nfalse\n$/,
  },
  'A controller of your own': {
    after: `const until = Date.now() + 2500; const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      const caller = async () => { while (Date.now() < until) await limiter.run(() => sleep(5)).catch(() => sleep(1)); };
      await Promise.all(Array.from({ length: 20 }, caller));
      console.log(limiter.limit > 10, limiter.history().at(-1).reason);`,
    prints: /^10\ntrue 0 overloads, \d+ refused\n$/,
  },
};

function POOL(options: string): string {
  return `import pg from 'pg'; import { LimitedPool } from 'floodgate/pg';
    const pool = new LimitedPool(pg.Pool, ${options}, { connectionString: process.env.DATABASE_URL, max: 2 });`;
}

// Inside the package, so that `floodgate` and the clients resolve as they do for a user.
const folder = fileURLToPath(new URL('../../build/readme/', import.meta.url));
const servers: { close(): Promise<void> }[] = [];
const { url } = inject('postgres');
const server = new URL(url);
const env: Record<string, string | undefined> = {
  ...process.env,
  DATABASE_URL: url,
  PGHOST: server.hostname,
  PGPORT: server.port,
  PGUSER: server.username,
  PGPASSWORD: server.password,
  PGDATABASE: server.pathname.slice(1),
};

describe('examples of the README', () => {
  beforeAll(async () => {
    const [aerospike, redis, mysql] = await Promise.all([startAerospike(), startRedis(), startMysql()]);
    servers.push(aerospike, redis, mysql);
    env.AEROSPIKE_HOSTS = aerospike.hosts;
    env.REDIS_URL = redis.url;
    env.MYSQL_URL = mysql.url;
    mkdirSync(folder, { recursive: true });
    await runModule(
      'sequence',
      `import pg from 'pg'; const client = new pg.Client(process.env.DATABASE_URL); await client.connect();
       await client.query('drop sequence if exists invoices; create sequence invoices'); await client.end();`,
    );
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(readmeExamples().map((example, index) => ({ ...example, index })))(
    'the example under "$heading" does what it says',
    async ({ heading, code, index }) => {
      const run = RUNS[heading];
      expect(run, `no run for the example under "${heading}"`).not.toBeUndefined();
      const printed = await runModule(`example-${index}`, [run!.before, code, run!.after].join('\n'));
      expect(printed).toMatch(run!.prints);
    },
  );

  test.each(readmeExamples().filter(({ heading }) => COMPLETE.includes(heading)))(
    'the example under "$heading" compiles as it stands, however strict',
    async ({ code }) => {
      const file = `${folder}strict.mts`;
      writeFileSync(file, code);
      const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
      const options =
        '--strict --noUncheckedIndexedAccess --noEmit --ignoreConfig --module nodenext --target es2022 --types node --skipLibCheck';
      const { stdout } = await promisify(execFile)(process.execPath, [
        tsc,
        ...options.split(' '),
        file,
      ]).catch((error: { stdout: string }) => error);
      expect(stdout).toBe('');
    },
  );

  test('each entry of this table has its example', () => {
    expect(Object.keys(RUNS)).toEqual(readmeExamples().map(({ heading }) => heading));
  });
});

async function runModule(name: string, code: string): Promise<string> {
  const file = `${folder}${name}.mjs`;
  writeFileSync(file, (await transformWithOxc(code, `${name}.ts`)).code);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  return stdout;
}
