import type { Outcome } from '../../core/outcome.js';
import { outcomeOfSystemError } from '../../core/system-errors.js';

/** Statuses that say the same of the server, with the names they have in `Aerospike.status`. */
export interface OutcomeGroup {
  readonly outcome: Outcome;
  /** Where this is written down, and why it counts so. */
  readonly source: string;
  readonly statuses: Readonly<Record<number, string>>;
}

const STATUS = 'as_status.h of the C client, as lib/status.js documents it';

/** What the client's and the server's numeric statuses say. */
export const AEROSPIKE_OUTCOMES: readonly OutcomeGroup[] = [
  {
    outcome: 'overload',
    source: `${STATUS}: what the client itself refuses, since the node is overloaded or its own connections are`,
    statuses: {
      [-7]: 'ERR_NO_MORE_CONNECTIONS', // config.maxConnsPerNode
      [-11]: 'ERR_ASYNC_QUEUE_FULL', // setupGlobalCommandQueue
      [-14]: 'MAX_ERROR_RATE', // config.maxErrorRate, the client's circuit breaker
    },
  },
  {
    outcome: 'overload',
    source: `${STATUS}: connections that were refused, lost or not answered, nodes that are gone`,
    statuses: {
      [-6]: 'ERR_ASYNC_CONNECTION',
      [-8]: 'ERR_INVALID_NODE',
      [-9]: 'ERR_TLS_ERROR',
      [-10]: 'ERR_CONNECTION',
      [-12]: 'ERR_MAX_RETRIES_EXCEEDED',
      [-15]: 'NO_RESPONSE',
      7: 'ERR_CLUSTER_CHANGE',
      11: 'ERR_CLUSTER',
    },
  },
  {
    outcome: 'overload',
    source: `${STATUS}: timeouts, of the client and of the server alike`,
    statuses: { 9: 'ERR_TIMEOUT', 212: 'ERR_QUERY_TIMEOUT' },
  },
  {
    outcome: 'overload',
    source: `${STATUS}: the server's own words for too much work, memory or storage`,
    statuses: {
      8: 'ERR_SERVER_FULL',
      14: 'ERR_RECORD_BUSY', // transaction-pending-limit: too much work for one record
      18: 'ERR_DEVICE_OVERLOAD',
      32: 'XDR_KEY_BUSY',
      83: 'QUOTA_EXCEEDED',
      152: 'ERR_BATCH_QUEUES_FULL',
      202: 'ERR_INDEX_OOM',
      211: 'ERR_QUERY_QUEUE_FULL',
    },
  },
  {
    outcome: 'success',
    source: `${STATUS}: answers. The server looked the record up, as it was asked to: client.exists() turns 2 into false`,
    statuses: { 0: 'OK', 2: 'ERR_RECORD_NOT_FOUND', 27: 'FILTERED_OUT', 50: 'QUERY_END' },
  },
  {
    outcome: 'ignored',
    source: `${STATUS}: made by the client before anything was sent, or by whoever aborted a query`,
    statuses: {
      [-1]: 'ERR_CLIENT',
      [-2]: 'ERR_PARAM',
      [-3]: 'NO_MORE_RECORDS',
      [-4]: 'ERR_INVALID_HOST',
      [-5]: 'ERR_CLIENT_ABORT',
      [-13]: 'USE_NORMAL_RETRY',
      [-18]: 'TXN_ALREADY_COMMITTED',
      [-19]: 'TXN_ALREADY_ABORTED',
      [-20]: 'METRICS_CONFLICT',
      15: 'ERR_SCAN_ABORTED',
      210: 'ERR_QUERY_ABORTED',
    },
  },
  {
    outcome: 'failed',
    source: `${STATUS}: the server is well and says no`,
    statuses: {
      [-16]: 'BATCH_FAILED', // only when no element has a result; else the elements decide
      [-17]: 'TXN_FAILED',
      1: 'ERR_SERVER',
      3: 'ERR_RECORD_GENERATION',
      4: 'ERR_REQUEST_INVALID',
      5: 'ERR_RECORD_EXISTS',
      6: 'ERR_BIN_EXISTS',
      10: 'ERR_ALWAYS_FORBIDDEN',
      12: 'ERR_BIN_INCOMPATIBLE_TYPE',
      13: 'ERR_RECORD_TOO_BIG',
      16: 'ERR_UNSUPPORTED_FEATURE',
      17: 'ERR_BIN_NOT_FOUND',
      19: 'ERR_RECORD_KEY_MISMATCH',
      20: 'ERR_NAMESPACE_NOT_FOUND',
      21: 'ERR_BIN_NAME',
      22: 'ERR_FAIL_FORBIDDEN',
      23: 'ERR_FAIL_ELEMENT_NOT_FOUND',
      24: 'ERR_FAIL_ELEMENT_EXISTS',
      25: 'ERR_ENTERPRISE_ONLY',
      26: 'ERR_OP_NOT_APPLICABLE',
      28: 'LOST_CONFLICT',
      100: 'ERR_UDF',
      150: 'ERR_BATCH_DISABLED',
      151: 'ERR_BATCH_MAX_REQUESTS_EXCEEDED',
      160: 'ERR_GEO_INVALID_GEOJSON',
      200: 'ERR_INDEX_FOUND',
      201: 'ERR_INDEX_NOT_FOUND',
      203: 'ERR_INDEX_NOT_READABLE',
      204: 'ERR_INDEX',
      205: 'ERR_INDEX_NAME_MAXLEN',
      206: 'ERR_INDEX_MAXCOUNT',
      213: 'ERR_QUERY',
      1301: 'ERR_UDF_NOT_FOUND',
      1302: 'ERR_LUA_FILE_NOT_FOUND',
    },
  },
  {
    outcome: 'failed',
    source: `${STATUS}: transactions over several records. A record that another one holds is the callers' affair`,
    statuses: {
      120: 'MRT_BLOCKED',
      121: 'MRT_VERSION_MISMATCH',
      122: 'MRT_EXPIRED',
      123: 'MRT_TOO_MANY_WRITES',
      124: 'MRT_COMMITTED',
      125: 'MRT_ABORTED',
      126: 'MRT_ALREADY_LOCKED',
      127: 'MRT_MONITOR_EXISTS',
    },
  },
  {
    outcome: 'failed',
    source: `${STATUS}: users, roles and their rights`,
    statuses: {
      51: 'SECURITY_NOT_SUPPORTED',
      52: 'SECURITY_NOT_ENABLED',
      53: 'SECURITY_SCHEME_NOT_SUPPORTED',
      54: 'INVALID_COMMAND',
      55: 'INVALID_FIELD',
      56: 'ILLEGAL_STATE',
      60: 'INVALID_USER',
      61: 'USER_ALREADY_EXISTS',
      62: 'INVALID_PASSWORD',
      63: 'EXPIRED_PASSWORD',
      64: 'FORBIDDEN_PASSWORD',
      65: 'INVALID_CREDENTIAL',
      66: 'EXPIRED_SESSION',
      70: 'INVALID_ROLE',
      71: 'ROLE_ALREADY_EXISTS',
      72: 'INVALID_PRIVILEGE',
      73: 'INVALID_WHITELIST',
      74: 'QUOTAS_NOT_ENABLED',
      75: 'INVALID_QUOTA',
      80: 'NOT_AUTHENTICATED',
      81: 'ROLE_VIOLATION',
      82: 'NOT_WHITELISTED',
    },
  },
];

const BY_STATUS: ReadonlyMap<number, Outcome> = new Map(
  AEROSPIKE_OUTCOMES.flatMap(({ outcome, statuses }) =>
    Object.keys(statuses).map((status) => [Number(status), outcome]),
  ),
);

/** Statuses that are not known: below 0 the client's own, above 0 the server's. */
export function outcomeOfStatus(status: number): Outcome {
  return BY_STATUS.get(status) ?? (status < 0 ? 'ignored' : 'failed');
}

/** The outcome of an operation that ended with this error: an `AerospikeError`, or the addon's plain object. */
export function outcomeOfAerospikeError(error: unknown): Outcome {
  if (typeof error !== 'object' || error === null) return 'failed';
  const { code } = error as { code?: unknown };
  if (typeof code === 'number') return outcomeOfStatus(code);
  return outcomeOfSystemError(error) ?? 'failed';
}
