// @ts-check
import { PARTITIONS, RESULT } from './protocol.js';
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
    build: () => '8.0.0.15',
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
    [`namespace/${namespace}`]: () => `objects=${store.inOrder('').length};${NAMESPACE_CONFIG}`,
    [`get-config:context=namespace;id=${namespace}`]: () => NAMESPACE_CONFIG,
    statistics: () => `cluster_size=1;objects=${store.inOrder('').length}`,
    'udf-list': () => [...modules.keys()].map((file) => `filename=${file},hash=0,type=LUA;`).join(''),
  };

  /** @type {Readonly<Record<string, { takes: string[], run: (parameters: Map<string, string>) => string }>>} */
  const commands = {
    truncate: { takes: ['namespace', 'set', 'lut'], run: truncate },
    'truncate-namespace': { takes: ['namespace', 'lut'], run: truncate },
    'sindex-create': {
      takes: ['ns', 'namespace', 'set', 'indexname', 'indexdata', 'indextype', 'bin', 'type'],
      run(parameters) {
        const indexType = parameters.get('indextype') ?? 'default';
        if (indexType.toLowerCase() !== 'default') throw new Unsupported(`an index of ${indexType}`);
        const [bin = '', type = ''] = (parameters.get('indexdata') ?? '').split(',');
        const index = {
          name: parameters.get('indexname') ?? '',
          set: parameters.get('set') ?? '',
          bin: parameters.get('bin') ?? bin,
          type: (parameters.get('type') ?? type).toLowerCase(),
        };
        if (indexes.create(index)) return 'ok';
        return `ERROR:${RESULT.indexFound}:'indexname' already exists with different definition`;
      },
    },
    'sindex-delete': {
      takes: ['ns', 'namespace', 'set', 'indexname'],
      // One that is not there is no error.
      run(parameters) {
        indexes.remove(parameters.get('indexname') ?? '');
        return 'ok';
      },
    },
    'udf-put': {
      takes: ['filename', 'content', 'content-len', 'udf-type'],
      run(parameters) {
        modules.set(parameters.get('filename') ?? '', parameters.get('content') ?? '');
        return 'ok';
      },
    },
    'udf-remove': {
      takes: ['filename'],
      run(parameters) {
        modules.delete(parameters.get('filename') ?? '');
        return 'ok';
      },
    },
    // Jobs are done before they are answered; a real server forgets them after a while.
    'query-show': { takes: ['trid', 'id'], run: () => 'ERROR:2:job not found' },
  };

  /** @param {Map<string, string>} parameters */
  function truncate(parameters) {
    const lut = parameters.get('lut');
    const beforeMs = lut === undefined ? Date.now() : Number(BigInt(lut) / 1_000_000n);
    if (beforeMs > Date.now()) return `ERROR:${RESULT.parameter}:would truncate in the future`;
    store.truncate(parameters.get('set') ?? '', beforeMs);
    return 'ok';
  }

  return (request) => {
    const answer = fixed[request];
    if (answer !== undefined) return answer();
    const sindex = /^sindex\/([^/]+)\/(.+)$/.exec(request);
    if (sindex !== null && sindex[1] === namespace) {
      return indexes.has(sindex[2] ?? '')
        ? 'entries=0;load_pct=100'
        : `ERROR:${RESULT.indexNotFound}:no index`;
    }
    const colon = request.indexOf(':');
    const command = colon < 0 ? undefined : commands[request.slice(0, colon)];
    if (command === undefined) throw new Unsupported(`info ${request.slice(0, 60)}`);
    const parameters = parametersOf(request.slice(colon + 1));
    for (const [name, value] of parameters) {
      if (!command.takes.includes(name)) {
        throw new Unsupported(`the parameter ${name} of ${request.slice(0, colon)}`);
      }
      if ((name === 'ns' || name === 'namespace') && value !== namespace) {
        throw new Unsupported(`the namespace ${value} in ${request.slice(0, colon)}`);
      }
    }
    return command.run(parameters);
  };
}

/** As in the server's container image: records live for ever unless they are given a time. */
const NAMESPACE_CONFIG =
  'default-ttl=0;nsup-period=120;allow-ttl-without-nsup=false;strong-consistency=false';

/** @param {string} text */
function parametersOf(text) {
  return new Map(
    text
      .split(';')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
  );
}
