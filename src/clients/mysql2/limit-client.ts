import type { Limiter } from '../../core/limiter.js';
import { complaint } from '../../core/option-checks.js';
import { limiterFrom, refuseMisplacedOptions } from '../shared/client-options.js';
import type { LimiterHandle } from '../shared/limiter-handle.js';
import { isAlreadyWrapped, isWrapped, markWrapped } from '../shared/wrapped.js';
import { isDriver } from './is-driver.js';
import { limitCluster } from './limit-cluster.js';
import { limitConnection } from './limit-connection.js';
import { limitPool } from './limit-pool.js';
import { type MysqlContext, mysqlContext } from './mysql-context.js';
import type { MysqlConnection } from './mysql-internals.js';
import {
  type LimitedMysqlOptions,
  MYSQL_OPTION_NAMES,
  type OptionsOwner,
  resolveMysqlOptions,
} from './mysql-options.js';
import { isOpening, Opening, openPromised, promisesConnection, refuseOpening } from './opening.js';
import { keepRejections, onPromiseSide } from './promised-rejections.js';
import { recognise } from './recognise.js';

export const KIND = 'LimitedMysql';

/** What one call of the constructor, or of a limited driver, asks for. */
export class LimitRequest {
  readonly owner: OptionsOwner;
  readonly options: Readonly<Record<string, unknown>>;
  readonly #makeContext: () => MysqlContext;
  #context: MysqlContext | undefined;

  constructor(owner: OptionsOwner, options: LimitedMysqlOptions) {
    const resolved = resolveMysqlOptions(owner, options);
    this.owner = owner;
    this.options = { ...options };
    this.#makeContext = () => mysqlContext(limiterFrom(options, 'mysql2'), resolved);
  }

  /** With a limiter of its own, unless one is shared. A client that is limited already needs none. */
  get context(): MysqlContext {
    this.#context ??= this.#makeContext();
    return this.#context;
  }
}

/** One of mysql2's functions. */
export type Create = (...args: readonly unknown[]) => unknown;

/**
 * Makes a client and limits it: promised, if the function promises it.
 *
 * @param entry what the caller has called, for the trace of an error
 */
export function limitMade(
  request: LimitRequest,
  create: Create,
  args: readonly unknown[],
  // biome-ignore lint/complexity/noBannedTypes: any function or class
  entry: Function,
): unknown {
  refuseMisplacedOptions(request.owner, args, MYSQL_OPTION_NAMES);
  // A class does not want to be called: mysql2's are made by its functions.
  if (/^class\b/.test(Function.prototype.toString.call(create))) {
    throw noClient('the client', create);
  }
  const limit = (client: unknown, opening?: Opening) =>
    limitClient(request, client, 'what the function makes', (connection) => {
      if (opening !== undefined) return opening;
      return isOpening(connection) ? Opening.begin(request.context) : undefined;
    });
  if (promisesConnection(create)) {
    const promise = () => make(create, args) as Promise<unknown>;
    return openPromised(request.context, args[0] as object, promise, limit, entry);
  }
  const client = make(create, args);
  return isPromise(client) ? client.then((value) => limit(value)) : limit(client);
}

/** Without a configuration, mysql2 fails for want of a property that its users have never heard of. */
function make(create: Create, args: readonly unknown[]): unknown {
  try {
    return create(...args);
  } catch (thrown) {
    if (!(thrown instanceof TypeError) || create.length === 0 || args[0] != null) throw thrown;
    // Those of the promise API go by other names inside.
    const what = `mysql2's configuration for ${create.name.replace('Promise', '')}`;
    throw new TypeError(complaint(what, 'an object or an address', args[0]), { cause: thrown });
  }
}

/**
 * Limits a client that is there.
 *
 * @param subject what to call it in a complaint
 * @param open takes the permit of a connection that is on its way to the server
 */
export function limitClient(
  request: LimitRequest,
  client: unknown,
  subject: string,
  open: (connection: MysqlConnection) => ReturnType<typeof Opening.begin> | undefined = () => undefined,
): unknown {
  const found = recognise(client);
  if (found === undefined) throw noClient(subject, client);
  const face = client as object;
  const { core } = found;
  const { options } = request;
  // A pool has two faces, one of callbacks and one of promises, and each may come here.
  if (isAlreadyWrapped(core, KIND, options)) {
    const { limiter } = core as unknown as LimiterHandle;
    isAlreadyWrapped(face, KIND, {});
    limitFace(face, core, limiter, options);
    return client;
  }
  if (face !== core) isAlreadyWrapped(face, KIND, options);
  const { context } = request;
  if (found.kind === 'pool') limitPool(context, found.core);
  else if (found.kind === 'cluster') limitCluster(context, found.core);
  else {
    const opening = open(found.core);
    if (opening === undefined || opening instanceof Opening) limitConnection(context, found.core, opening);
    else refuseOpening(found.core, opening);
  }
  const { limiter } = context;
  markWrapped(core, { kind: KIND, limiter, options });
  limitFace(face, core, limiter, options);
  onPromiseSide(core, (side) => limitFace(side, core, limiter, options));
  return client;
}

/** One side of a client whose core is limited. */
function limitFace(face: object, core: object, limiter: Limiter, options: LimitRequest['options']): void {
  if (!isWrapped(face, KIND)) markWrapped(face, { kind: KIND, limiter, options });
  keepRejections(face, core);
}

export function noClient(subject: string, value: unknown): TypeError {
  return new TypeError(complaint(subject, RULE, value) + hintFor(value));
}

function hintFor(value: unknown): string {
  if (isPromise(value)) return ': did you forget await?';
  return isDriver(value)
    ? ': that is the whole module; give one of its functions, createPool say, or use limitDriver(module, options)'
    : '';
}

const RULE =
  'a pool, a pool cluster or a standalone connection of mysql2 or mysql2/promise, or a function that makes one (for a connection of a pool, limit the pool)';

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
