// @ts-check
import { PARTITIONS } from './protocol.js';
import { Unsupported } from './unsupported.js';

const NODE = 'BB9000000000001';
/** What the C client looks for; "batch-any" and "pquery" choose the forms of batches and scans that are spoken here. */
const FEATURES =
  'peers;cdt-list;cdt-map;batch-any;batch-index;query-show;pquery;pscans;replicas;relaxed-sc;truncate-namespace;' +
  'blob-bits;float;geo;sindex-exists';

/**
 * Answers of the info protocol.
 *
 * @param {object} server
 * @param {string} server.namespace
 * @param {() => number} server.port
 * @param {import('./store.js').Store} server.store
 * @param {import('./indexes.js').Indexes} server.indexes
 * @param {Map<string, string>} server.modules files of user-defined functions: kept, and never run
 * @returns {(request: string) => string}
 */
export function infoAnswers({ namespace, port, store, indexes, modules }) {
  /** @type {Readonly<Record<string, () => string>>} */
  const fixed = {
    node: () => NODE,
    build: () => '8.0.0.0',
    version: () => 'Aerospike test double of floodgate, not a server',
    edition: () => 'Aerospike test double of floodgate, not a server',
    features: () => FEATURES,
    'cluster-name': () => 'null',
    'peers-generation': () => '1',
    'partition-generation': () => '1',
    'rebalance-generation': () => '1',
    'peers-clear-std': () => `1,${port()},[]`,
    'peers-clear-alt': () => `1,${port()},[]`,
    'service-clear-std': () => `127.0.0.1:${port()}`,
    'service-clear-alt': () => `127.0.0.1:${port()}`,
    replicas: () => `${namespace}:0,1,${Buffer.alloc(PARTITIONS / 8, 0xff).toString('base64')};`,
    partitions: () => String(PARTITIONS),
    namespaces: () => namespace,
    [`namespace/${namespace}`]: () => `objects=${store.inOrder('').length};nsup-period=0`,
    // Nothing expires here.
    [`get-config:context=namespace;id=${namespace}`]: () => 'nsup-period=0;allow-ttl-without-nsup=false',
    statistics: () => `cluster_size=1;objects=${store.inOrder('').length}`,
    'udf-list': () => [...modules.keys()].map((file) => `filename=${file},hash=0,type=LUA;`).join(''),
  };

  /** @type {Readonly<Record<string, (parameters: Map<string, string>, rest: string) => string>>} */
  const commands = {
    truncate(parameters) {
      store.truncate(parameters.get('set') ?? '');
      return 'ok';
    },
    'truncate-namespace'() {
      store.truncate('');
      return 'ok';
    },
    'sindex-create'(parameters) {
      const [bin = '', type = ''] = (parameters.get('indexdata') ?? '').split(',');
      const index = {
        name: parameters.get('indexname') ?? '',
        set: parameters.get('set') ?? '',
        bin: parameters.get('bin') ?? bin,
        type: (parameters.get('type') ?? type).toLowerCase(),
      };
      return indexes.create(index) ? 'OK' : 'FAIL:200:index already exists';
    },
    'sindex-delete'(parameters) {
      return indexes.remove(parameters.get('indexname') ?? '') ? 'OK' : 'FAIL:201:no index';
    },
    'udf-put'(parameters) {
      modules.set(parameters.get('filename') ?? '', parameters.get('content') ?? '');
      return 'ok';
    },
    'udf-remove'(parameters) {
      modules.delete(parameters.get('filename') ?? '');
      return 'ok';
    },
    // Jobs are done before they are answered; a real server forgets them after a while.
    'query-show': () => 'ERROR:2:job not found',
  };

  return (request) => {
    const answer = fixed[request];
    if (answer !== undefined) return answer();
    const sindex = /^sindex\/[^/]+\/(.+)$/.exec(request);
    if (sindex !== null) {
      return indexes.has(sindex[1] ?? '') ? 'keys=0;entries=0;load_pct=100' : 'FAIL:201:no index';
    }
    const colon = request.indexOf(':');
    const rest = request.slice(colon + 1);
    const command = colon < 0 ? undefined : commands[request.slice(0, colon)];
    if (command === undefined) throw new Unsupported(`info ${request.slice(0, 60)}`);
    return command(parametersOf(rest), rest);
  };
}

/** @param {string} text */
function parametersOf(text) {
  return new Map(
    text.split(';').map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
