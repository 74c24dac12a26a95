import { type Outcome, worseOutcome } from '../../core/outcome.js';
import { outcomeOfSystemError } from '../../core/system-errors.js';

/** One row: errors that match it have this outcome. The first row that matches decides. */
export interface OutcomeRow {
  /** `name` of the error; replies of the server have `ReplyError`. */
  readonly name?: string;
  /** The first word of the message, whole: `BUSY` is not `BUSYGROUP`. */
  readonly word?: string;
  /** What the message starts with. */
  readonly message?: string;
  readonly outcome: Outcome;
  /** Where this is written down, and why it counts so. */
  readonly source: string;
}

const REPLY = 'ReplyError';
const COMMAND_TIMED_OUT = 'Command timed out';
/** Of a command that a cluster has redirected as often as it may. */
const TIMED_OUT_LAST = `Too many Cluster redirections. Last error: Error: ${COMMAND_TIMED_OUT}`;

/** What errors of Redis and ioredis say of the server. Any other reply is an application error: `failed`. */
export const REDIS_OUTCOMES: readonly OutcomeRow[] = [
  { name: REPLY, word: 'LOADING', outcome: 'overload', source: 'Redis: the dataset is still being loaded' },
  { name: REPLY, word: 'BUSY', outcome: 'overload', source: 'Redis: a script or function holds the server' },
  { name: REPLY, word: 'OOM', outcome: 'overload', source: 'Redis: maxmemory is reached' },
  { name: REPLY, word: 'CLUSTERDOWN', outcome: 'overload', source: 'Redis Cluster: slots are not served' },
  { name: REPLY, word: 'TRYAGAIN', outcome: 'overload', source: 'Redis Cluster: keys are being moved' },
  { name: REPLY, word: 'MASTERDOWN', outcome: 'overload', source: 'Redis: the replica has lost its master' },
  {
    name: REPLY,
    message: 'ERR max number of clients reached',
    outcome: 'overload',
    source: 'Redis: maxclients',
  },
  {
    name: REPLY,
    word: 'UNBLOCKED',
    outcome: 'ignored',
    source: 'Redis: CLIENT UNBLOCK, or a failover, ended a wait for data',
  },
  {
    name: REPLY,
    outcome: 'failed',
    source: 'Redis: an answer (WRONGTYPE, NOSCRIPT, READONLY, NOREPLICAS, MISCONF...): no work was done',
  },
  { message: COMMAND_TIMED_OUT, outcome: 'overload', source: 'ioredis, commandTimeout' },
  {
    name: 'MaxRetriesPerRequestError',
    outcome: 'overload',
    source: 'ioredis, maxRetriesPerRequest reconnects have failed',
  },
  {
    name: 'ClusterAllFailedError',
    outcome: 'overload',
    source: 'ioredis: no node of the cluster told its slots',
  },
  {
    message: 'Too many Cluster redirections',
    outcome: 'overload',
    source: 'ioredis, maxRedirections; the last error is CLUSTERDOWN, TRYAGAIN or a lost connection',
  },
  {
    message: 'None of startup nodes is available',
    outcome: 'overload',
    source: 'ioredis, every node of a cluster is lost',
  },
  { message: 'All sentinels are unreachable', outcome: 'overload', source: 'ioredis, sentinelRetryStrategy' },
  { message: 'Connection is closed.', outcome: 'overload', source: 'ioredis, the connection was lost' },
  {
    message: "Stream isn't writeable and enableOfflineQueue options is false",
    outcome: 'overload',
    source: 'ioredis, no connection',
  },
  {
    message: "Cluster isn't ready and enableOfflineQueue options is false",
    outcome: 'overload',
    source: 'ioredis, no connection to any node',
  },
  {
    name: 'AbortError',
    message: 'Command aborted due to connection close',
    outcome: 'overload',
    source: 'ioredis: a pipeline whose connection was lost after the first replies',
  },
  {
    name: 'AbortError',
    message: 'Cluster is ended',
    outcome: 'ignored',
    source: 'ioredis: the caller has disconnected the cluster',
  },
];

/** The outcome of an operation that ended with this error. */
export function outcomeOfRedisError(error: unknown): Outcome {
  if (typeof error !== 'object' || error === null) return 'failed';
  const { name, message } = error as { name?: unknown; message?: unknown };
  const text = typeof message === 'string' ? message : '';
  const row = REDIS_OUTCOMES.find((candidate) => matches(candidate, name, text));
  return row?.outcome ?? outcomeOfSystemError(error) ?? 'failed';
}

/** ioredis' `commandTimeout` answered the caller; the command may still be on its way to the server, or back. */
export function isCommandTimeout(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'Error') return false;
  return error.message === COMMAND_TIMED_OUT || error.message === TIMED_OUT_LAST;
}

/**
 * The worst outcome among the results of a pipeline, each `[error, value]`.
 *
 * @param withExec whether there is an EXEC in it, whose own results are looked at too
 */
export function outcomeOfResults(
  results: unknown,
  classify: (error: unknown) => Outcome,
  withExec: boolean,
): Outcome {
  let outcome: Outcome = 'success';
  if (!Array.isArray(results)) return outcome;
  for (const result of results) {
    if (!Array.isArray(result)) continue;
    if (result[0]) outcome = worseOutcome(outcome, classify(result[0]));
    else if (withExec) outcome = worseOutcome(outcome, outcomeOfExecReply(result[1], classify));
  }
  return outcome;
}

/** EXEC answers with an array of replies, errors among them, or with null if a watched key has changed. */
export function outcomeOfExecReply(reply: unknown, classify: (error: unknown) => Outcome): Outcome {
  let outcome: Outcome = 'success';
  if (!Array.isArray(reply)) return outcome;
  for (const value of reply) {
    if (value instanceof Error) outcome = worseOutcome(outcome, classify(value));
  }
  return outcome;
}

function matches(row: OutcomeRow, name: unknown, message: string): boolean {
  if (row.name === undefined ? name === REPLY : row.name !== name) return false;
  if (row.word !== undefined && message !== row.word && !message.startsWith(`${row.word} `)) return false;
  return row.message === undefined || message.startsWith(row.message);
}
