import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startAerospike } from '../support/servers/aerospike/start-aerospike.js';
import { startMysql } from '../support/servers/mysql/start-mysql.js';
import { startRedis } from '../support/servers/redis/start-redis.js';
import { readmeExamples } from './readme-examples.js';

/**
 * What a fragment needs around it, and what it prints. Every example of the README has an entry here: one without is a
 * failure. They run as plain modules that import the built package by its name.
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
      let done; const sent = new Promise((resolve) => { done = resolve; }); const send = async (job) => done(job.name);`,
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
  HTTP: {
    before: `import Fastify from 'fastify'; import { findBackpressureError, Limiter } from 'floodgate';
      const app = Fastify(); const limiter = new Limiter({ maxConcurrentOps: 1 }); limiter.acquire();
      app.get('/', () => limiter.run(() => 'never').catch((cause) => { throw new Error('wrapped', { cause }); }));`,
    after:
      "const answer = await app.inject('/'); console.log(answer.statusCode, answer.headers['retry-after'], answer.body);",
    prints: /^503 1 \{"error":"busy"\}\n$/,
  },
  'Shutting down': {
    before: POOL('{}'),
    after: 'console.log(pool.limiter.stats().state, pool.ended);',
    prints: /^drained true\n$/,
  },
  'Adaptive control: a limit that finds itself': {
    before: "import pg from 'pg'; import { LimitedPool } from 'floodgate/pg';",
    after: 'console.log(pool.limiter.stats().adaptive.observe); await pool.end();',
    prints: /^20\nfalse\n$/,
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

  test('each entry of this table has its example', () => {
    expect(Object.keys(RUNS)).toEqual(readmeExamples().map(({ heading }) => heading));
  });
});

async function runModule(name: string, code: string): Promise<string> {
  const file = `${folder}${name}.mjs`;
  writeFileSync(file, code);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  return stdout;
}
