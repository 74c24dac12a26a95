import type { Client } from 'aerospike';
import { Aerospike, type ClientUnderTest } from './client-under-test.js';

export type Style = 'promise' | 'callback' | 'policy and callback';

/** One operation of the client, to be called in each of its styles. */
export interface Form {
  readonly name: string;
  readonly operationClass: string;
  readonly styles: readonly Style[];
  /** What it does to the server, in the words of the test double; absent for info commands. */
  readonly kind: 'read' | 'write' | 'operate' | 'batch' | 'query' | 'background' | undefined;
  /** Resolves or rejects with what the call tells, however it tells it. */
  run(subject: ClientUnderTest, style: Style, options?: RunOptions): Promise<unknown>;
}

export interface RunOptions {
  /** On a record that is not there. */
  readonly missing?: boolean;
  readonly totalTimeout?: number;
}

const ALL: readonly Style[] = ['promise', 'callback', 'policy and callback'];

type Method = (...args: unknown[]) => unknown;

/** Calls a method in a style; a callback must come on a later tick, and its call return nothing. */
function call(
  client: Client,
  name: string,
  args: readonly unknown[],
  policyArgs: (policy: object) => unknown[],
  style: Style,
  { totalTimeout }: RunOptions,
): Promise<unknown> {
  const method = (client as unknown as Record<string, Method>)[name]!;
  const policy = totalTimeout === undefined ? {} : { totalTimeout };
  const given = style === 'policy and callback' || totalTimeout !== undefined ? policyArgs(policy) : [];
  if (style === 'promise') return method.call(client, ...args, ...given) as Promise<unknown>;
  return new Promise((resolve, reject) => {
    let returned = false;
    const result = method.call(client, ...args, ...given, (error: unknown, value: unknown) => {
      if (!returned) reject(new Error('called back before the call returned', { cause: error }));
      else if (error) reject(error);
      else resolve(value);
    });
    returned = true;
    if (result !== undefined) reject(new Error('a call with a callback returned something'));
  });
}

function form(
  name: string,
  operationClass: string,
  kind: Form['kind'],
  args: (subject: ClientUnderTest, options: RunOptions) => unknown[],
  policyArgs: (policy: object) => unknown[] = (policy) => [policy],
): Form {
  return {
    name,
    operationClass,
    kind,
    styles: ALL,
    run: (subject, style, options = {}) =>
      call(subject.client, name, args(subject, options), policyArgs, style, options),
  };
}

/** The record that is there, or one that is not. */
const keyOf = (subject: ClientUnderTest, { missing }: RunOptions) =>
  subject.key(missing ? `missing ${++others}` : 'there');
const keysOf = (subject: ClientUnderTest, options: RunOptions) => [
  keyOf(subject, options),
  subject.key('there too'),
];
let others = 0;
const { operations, batchType } = Aerospike;

export const recordForms: readonly Form[] = [
  form('get', 'read', 'read', (subject, options) => [keyOf(subject, options)]),
  form('select', 'read', 'read', (subject, options) => [keyOf(subject, options), ['n']]),
  form('exists', 'read', 'read', (subject, options) => [keyOf(subject, options)]),
  form('existsWithMetadata', 'read', 'read', (subject, options) => [keyOf(subject, options)]),
  form(
    'put',
    'write',
    'write',
    (subject, options) => [keyOf(subject, options), { n: 1, s: 'x' }],
    (policy) => [{}, policy],
  ),
  form('remove', 'write', 'write', (subject, options) => [keyOf(subject, options)]),
  form(
    'operate',
    'operate',
    'operate',
    (subject, options) => [keyOf(subject, options), [operations.incr('n', 1), operations.read('n')]],
    (policy) => [{}, policy],
  ),
  ...['incr', 'add'].map((name) =>
    form(
      name,
      'operate',
      'operate',
      (subject, options) => [keyOf(subject, options), { n: 1 }],
      (policy) => [{}, policy],
    ),
  ),
  ...['append', 'prepend'].map((name) =>
    form(
      name,
      'operate',
      'operate',
      (subject, options) => [keyOf(subject, options), { s: 'y' }],
      (policy) => [{}, policy],
    ),
  ),
];

export const batchForms: readonly Form[] = [
  form('batchRead', 'batch', 'batch', (subject, options) => [
    keysOf(subject, options).map((key) => ({ key, readAllBins: true })),
  ]),
  form('batchWrite', 'batch', 'batch', (subject, options) => [
    keysOf(subject, options).map((key) => ({
      type: batchType.BATCH_WRITE,
      key,
      ops: [operations.write('w', 1)],
    })),
  ]),
  ...['batchGet', 'batchExists', 'batchRemove'].map((name) =>
    form(name, 'batch', 'batch', (subject, options) => [keysOf(subject, options)]),
  ),
  form('batchSelect', 'batch', 'batch', (subject, options) => [keysOf(subject, options), ['n']]),
];

type Builder = {
  foreach(policy?: object): NodeJS.EventEmitter;
  results(policy?: object): Promise<unknown[]>;
};

function streamForm(
  name: string,
  operationClass: 'query' | 'scan',
  run: (builder: Builder, policy: object) => Promise<unknown>,
  options: object = {},
): Form {
  return {
    name,
    operationClass,
    kind: 'query',
    styles: ['promise'],
    async run(subject, _style, { missing, totalTimeout }: RunOptions = {}) {
      const set = missing ? `${subject.set}none` : subject.set;
      const { client } = subject;
      const builder =
        operationClass === 'query' ? client.query('test', set, options) : client.scan('test', set, options);
      return run(builder as unknown as Builder, totalTimeout === undefined ? {} : { totalTimeout });
    },
  };
}

function recordsOf(stream: NodeJS.EventEmitter): Promise<number> {
  return new Promise((resolve, reject) => {
    let records = 0;
    stream.on('data', () => records++);
    stream.on('error', reject);
    stream.on('end', () => resolve(records));
  });
}

export const streamForms: readonly Form[] = (['query', 'scan'] as const).flatMap((kind) => [
  streamForm(`${kind}.foreach`, kind, (builder, policy) => recordsOf(builder.foreach(policy))),
  streamForm(`${kind}.results`, kind, (builder, policy) => builder.results(policy)),
  streamForm(
    `${kind}.results of a page`,
    kind,
    (builder, policy) => builder.results({ ...policy, maxRecords: 5 }),
    { paginate: true, maxRecords: 5 },
  ),
]);

export const jobForms: readonly Form[] = (['query', 'scan'] as const).map((kind) => ({
  name: `${kind}.operate`,
  operationClass: kind,
  kind: 'background',
  styles: ['promise'],
  run: ({ client, set }) => {
    const job = [operations.write('job', 1)];
    return kind === 'query' ? client.query('test', set).operate(job) : client.scan('test', set).operate(job);
  },
}));

export const adminForms: readonly Form[] = [
  form('truncate', 'admin', undefined, ({ set }) => ['test', set, 0]),
  form('createIntegerIndex', 'admin', undefined, ({ set }) => [
    { ns: 'test', set, bin: 'n', index: `ix${set}n${++indexes}` },
  ]),
  form('indexRemove', 'admin', undefined, ({ set }) => ['test', `ix${set}none`]),
];

let indexes = 0;

/** What the forms have left on the server. */
export async function cleanUp({ client, set }: ClientUnderTest): Promise<void> {
  for (; indexes > 0; indexes--) {
    // Not every one has come about: some calls were rejected.
    await client.indexRemove('test', `ix${set}n${indexes}`).catch(() => {});
  }
  await client.truncate('test', set, 0);
}

export const infoForms: readonly Form[] = [
  form('infoAny', 'info', undefined, () => ['build']),
  form('infoAll', 'info', undefined, () => ['build']),
  form('infoNode', 'info', undefined, ({ client }) => ['build', client.getNodes()[0]]),
];

/** What each of the forms finds when it is to find something. */
export async function fill({ client, key }: ClientUnderTest): Promise<void> {
  for (const name of ['there', 'there too', ...Array.from({ length: 18 }, (_, i) => i)]) {
    await client.put(key(name), { n: 1, s: 'x' });
  }
}
