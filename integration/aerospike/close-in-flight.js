// A process of its own (the test's, if it crashed, would tell nobody): sends 20 commands and closes the client in the same
// tick, then says how each was answered.
// Usage: node close-in-flight.js <url of floodgate/aerospike> <hosts> <kind>
import Aerospike from 'aerospike';

const [, , wrapper, hosts, kind] = process.argv;
const { LimitedAerospike } = await import(wrapper);
const client = new LimitedAerospike(
  Aerospike.Client,
  { maxConcurrentOps: 50 },
  { hosts, log: { level: Aerospike.log.OFF } },
);
await client.connect();
const set = `close${process.pid}`;
const key = new Aerospike.Key('test', set, 'k');
for (let i = 0; i < 20; i++) await client.put(new Aerospike.Key('test', set, i), { n: i });
await client.put(key, { n: 1 });

const kinds = {
  get: () => client.get(key),
  put: () => client.put(key, { n: 2 }),
  batchRead: () => client.batchRead([{ key, readAllBins: true }]),
  batchGet: () => client.batchGet([key]),
  query: () => client.query('test', set).results(),
  scan: () => client.scan('test', set).results(),
};
const calls = Array.from({ length: 20 }, kinds[kind]);
if (process.argv.includes('drain')) {
  await client.limiter.drain();
  client.close();
} else client.close();
const late = await client.get(key).catch((error) => error.message);
const answers = await Promise.allSettled(calls);
const served = answers.filter(({ status }) => status === 'fulfilled').length;
const { inFlight, running } = client.limiter.stats();
// It ends by itself: a closed client keeps nobody alive.
process.stdout.write(JSON.stringify({ served, late, inFlight, running, connected: client.isConnected() }));
