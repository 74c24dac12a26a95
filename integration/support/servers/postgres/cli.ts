import { once } from 'node:events';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type PostgresWay, startPostgres } from './start-postgres.js';

/** Starts a server to look at by hand: `node build/integration/support/servers/postgres/cli.js [way] [--once]` */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { once: { type: 'boolean', default: false } },
});
const way = positionals[0];
if (way !== undefined && !isWay(way)) {
  throw new Error(`usage: cli.js [address|local|embedded|container] [--once], got ${way}`);
}

await using server = await startPostgres({
  ...(way === undefined ? {} : { way }),
  log: (line) => console.error(line),
});
console.log(`${server.url}\n${server.way}, PostgreSQL ${server.version}, ${server.startedInMs} ms`);

const client = new pg.Client({ connectionString: server.url });
await client.connect();
const { rows } = await client.query<{ version: string }>('select version()');
console.log(rows[0]!.version);
await client.end();

if (!values.once) {
  // The server keeps nothing alive by itself.
  const alive = setInterval(() => {}, 60_000);
  const told = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  console.log('Ctrl-C stops it.');
  await told;
  clearInterval(alive);
}

function isWay(text: string): text is PostgresWay {
  return ['address', 'local', 'embedded', 'container'].includes(text);
}
