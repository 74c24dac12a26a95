/**
 * Classes of a client's operations. `transaction` and `info` are exempt: what finishes or observes work that has been
 * admitted is counted, so that draining waits for it, and never refused.
 */
export type AerospikeClass =
  | 'read'
  | 'write'
  | 'operate'
  | 'batch'
  | 'query'
  | 'scan'
  | 'admin'
  | 'transaction'
  | 'info'
  | 'other';

export const AEROSPIKE_CLASSES: readonly AerospikeClass[] = [
  'read',
  'write',
  'operate',
  'batch',
  'query',
  'scan',
  'admin',
  'transaction',
  'info',
  'other',
];

/**
 * Which call of its callback is a command's last one (from the addon's sources, `src/main/async.cc` and
 * `src/main/commands`):
 *
 * - `once`: the first.
 * - `records`: the one with an error or without a record. When the callback returns `false` (an aborted stream), that was
 *   the last one.
 * - `values`: the one with an error or without any argument. A value may be 0, '', false or null, and `false` stops nothing.
 */
export type Answering = 'once' | 'records' | 'values';

export interface Command {
  /** In errors: what a user calls it. */
  readonly operation: string;
  readonly operationClass: AerospikeClass;
  readonly answering: Answering;
  /** Never refused, and takes no permits. */
  readonly exempt: boolean;
  /** Its first argument is the list of keys, by which it may weigh more than one permit. */
  readonly keyed: boolean;
}

/** A command that this table does not know, from a later version of the client, is limited. */
export function commandOf(name: string): Command {
  return COMMANDS.get(name) ?? unknown(name);
}

/** Not an operation: it opens the client. */
export const LIFECYCLE = 'connect';

/** By the name under which the client calls the addon; sources: `lib/commands/index.js` and its callers. */
const TABLE: Readonly<Record<AerospikeClass, Readonly<Record<string, string>>>> = {
  read: { getAsync: 'get', selectAsync: 'select', existsAsync: 'exists' },
  write: { putAsync: 'put', removeAsync: 'remove' },
  operate: { operateAsync: 'operate', applyAsync: 'apply' },
  batch: {
    batchRead: 'batchRead',
    batchWrite: 'batchWrite',
    batchGet: 'batchGet',
    batchExists: 'batchExists',
    batchSelect: 'batchSelect',
    batchApply: 'batchApply',
    batchRemove: 'batchRemove',
  },
  query: {
    queryAsync: 'query',
    queryPages: 'query',
    queryForeach: 'query',
    queryApply: 'query.apply',
    queryBackground: 'query.background',
  },
  scan: { scanAsync: 'scan', scanPages: 'scan', scanBackground: 'scan.background' },
  admin: {
    indexCreate: 'createIndex',
    indexRemove: 'indexRemove',
    truncate: 'truncate',
    udfRegister: 'udfRegister',
    udfRemove: 'udfRemove',
    setXDRFilter: 'setXDRFilter',
    enableMetrics: 'enableMetrics',
    disableMetrics: 'disableMetrics',
    changePassword: 'changePassword',
    setPassword: 'setPassword',
    userCreate: 'createUser',
    userCreatePKI: 'createPKIUser',
    userDrop: 'dropUser',
    privilegeGrant: 'grantPrivileges',
    privilegeRevoke: 'revokePrivileges',
    queryRole: 'queryRole',
    queryRoles: 'queryRoles',
    queryUser: 'queryUser',
    queryUsers: 'queryUsers',
    roleCreate: 'createRole',
    roleDrop: 'dropRole',
    roleGrant: 'grantRoles',
    roleRevoke: 'revokeRoles',
    roleSetWhitelist: 'setWhitelist',
    roleSetQuotas: 'setQuotas',
  },
  // A commit or abort that is refused leaves the transaction's records locked until the server gives up on it.
  transaction: { transactionCommit: 'commit', transactionAbort: 'abort' },
  // Jobs are polled by them (index and UDF jobs by infoForeach): one refused poll ends the caller's wait, and the job runs on.
  info: {
    jobInfo: 'job.info',
    infoAny: 'infoAny',
    infoForeach: 'infoAll',
    infoHost: 'info',
    infoNode: 'infoNode',
  },
  other: {},
};

const ANSWERING: Readonly<Record<string, Answering>> = {
  queryAsync: 'records',
  queryPages: 'records',
  scanAsync: 'records',
  scanPages: 'records',
  queryForeach: 'values',
};

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries(TABLE).flatMap(([operationClass, commands]) =>
    Object.entries(commands).map(([name, operation]) => [
      name,
      {
        operation,
        operationClass: operationClass as AerospikeClass,
        answering: ANSWERING[name] ?? 'once',
        exempt: operationClass === 'transaction' || operationClass === 'info',
        keyed: operationClass === 'batch',
      },
    ]),
  ),
);

function unknown(name: string): Command {
  return { operation: name, operationClass: 'other', answering: 'once', exempt: false, keyed: false };
}
