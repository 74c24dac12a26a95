// npm run bench -- [--quick] [filter]
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { aerospikeThroughput } from './aerospike-throughput.js';
import { ioredisThroughput } from './ioredis-throughput.js';
import { mysql2Throughput } from './mysql2-throughput.js';
import { poolCost } from './pool-cost.js';
import { poolThroughput } from './pool-throughput.js';
import { rejectionCost } from './rejection-cost.js';
import { runOverhead } from './run-overhead.js';
import { waitingMemory } from './waiting-memory.js';

const parts: Readonly<Record<string, (quick: boolean) => Promise<void>>> = {
  run: runOverhead,
  rejection: rejectionCost,
  'pool-cost': poolCost,
  'pool-throughput': poolThroughput,
  memory: waitingMemory,
  'mysql2-throughput': mysql2Throughput,
  'ioredis-throughput': ioredisThroughput,
  'aerospike-throughput': aerospikeThroughput,
};

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [filter = ''] = positionals;
const chosen = Object.entries(parts).filter(([name]) => name.includes(filter));
if (chosen.length === 0) {
  throw new Error(`no part of the bench is called '${filter}'; there are ${Object.keys(parts).join(', ')}`);
}
const [cpu] = cpus();
console.log(
  `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} x ${cpu?.model.trim()}`,
);
console.log('Times depend on the machine; compare the ratios.');
for (const [, part] of chosen) await part(values.quick);
