// @ts-check
// A process of its own, since the client's connect() holds up the event loop of its process. Told what to do over IPC:
// { id, command, argument } is answered with { id, value } or { id, error }.
import { AerospikeDouble } from './double.js';

const double = new AerospikeDouble();
let port = 0;

/** @type {Readonly<Record<string, (argument: any) => unknown>>} */
const commands = {
  start(/** @type {number | undefined} */ at) {
    port = at ?? port;
    return double.listen(port);
  },
  stop: () => double.stop(),
  faults: (/** @type {import('./faults.js').Fault[]} */ rules) => double.faults.set(rules),
  resetCounts: () => double.resetCounts(),
  counts: () => ({
    commands: double.commands,
    inFlight: double.inFlight,
    peakInFlight: double.peakInFlight,
    connections: double.connections,
    peakConnections: double.peakConnections,
    refusals: double.refusals,
    cpuMs: cpuMs(),
  }),
};

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

process.on('message', async (/** @type {{ id: number, command: string, argument: unknown }} */ message) => {
  const { id, command, argument } = message;
  try {
    const run = commands[command];
    if (run === undefined) throw new Error(`no command ${command}`);
    process.send?.({ id, value: await run(argument) });
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
// Whoever started it is gone.
process.on('disconnect', () => process.exit());
