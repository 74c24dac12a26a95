import type { BackpressureError } from '../../core/backpressure-error.js';
import { isObjectWith } from '../shared/is-object-with.js';
import { methodsBehind, patchMethods } from '../shared/patch-methods.js';
import type { MysqlConfig } from './mysql-internals.js';

/*
 * Before 3.24, the promises of mysql2 reject with an error of their own, which has the message and the code of the one that
 * they were told and nothing else of it: nobody would know a `BackpressureError` by its class, or when to retry. It is made
 * within the call that tells them, so that is where it is exchanged.
 */

type PromiseClass = new (
  executor: (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => void,
) => Promise<unknown>;

/** An object of the promise API: a pool, a cluster or a connection. It makes its promises by this class. */
interface Promising {
  Promise: PromiseClass;
}

/** What a callback is being told. */
let told: BackpressureError | undefined;

/** Tells a callback of the driver of a rejection. */
export function tellRejection(
  callback: (error: BackpressureError) => unknown,
  rejection: BackpressureError,
): void {
  const outer = told;
  told = rejection;
  try {
    callback(rejection);
  } finally {
    told = outer;
  }
}

/**
 * Has the promises of this object, and of those that come out of it, reject with the rejection itself.
 *
 * @param core the client behind it
 */
export function keepRejections(face: object, core: object): void {
  if (!isObjectWith(face, ['Promise']) || kept.has(face) || rejectsWithWhatItIsTold(core)) return;
  kept.add(face);
  const promising = face as unknown as Promising;
  const Original = promising.Promise;
  function Keeping(executor: ConstructorParameters<PromiseClass>[0]): Promise<unknown> {
    return new Original((resolve, reject) => executor(resolve, keeping(reject)));
  }
  // Whoever looks at it sees the class that was given.
  Object.setPrototypeOf(Keeping, Original);
  Object.defineProperty(Keeping, 'name', { value: Original.name, configurable: true });
  Keeping.prototype = Original.prototype;
  promising.Promise = Keeping as unknown as PromiseClass;
}

/** By the version that it tells its servers; a cluster, which has none itself, is taken for an old one. */
function rejectsWithWhatItIsTold(core: object): boolean {
  const { config } = core as { config?: MysqlConfig & { connectionConfig?: MysqlConfig } };
  const version = (config?.connectionConfig ?? config)?.connectAttributes?._client_version;
  const [major = 0, minor = 0] = String(version).split('.').map(Number);
  return major > 3 || (major === 3 && minor >= 24);
}

/** Calls back with what `promise()` of a client of the callback API makes. */
export function onPromiseSide(core: object, made: (side: object) => void): void {
  const client = core as { promise: (...args: unknown[]) => object };
  if (typeof client.promise !== 'function') return;
  const behind = methodsBehind(client, ['promise']);
  patchMethods(core, {
    promise(this: object, ...args: unknown[]) {
      const side = behind.promise.apply(this as typeof client, args);
      made(side);
      return side;
    },
  });
}

/** Made out here: it lives as long as its promise, and the executor and all that it can reach would with it. */
function keeping(reject: (reason: unknown) => void): (reason: unknown) => void {
  return (reason) => reject(isCopy(reason) ? told : reason);
}

const kept = new WeakSet<object>();

function isCopy(reason: unknown): boolean {
  if (told === undefined || reason === told) return false;
  const { message, code } = (reason ?? {}) as { message?: unknown; code?: unknown };
  return message === told.message && code === told.code;
}
