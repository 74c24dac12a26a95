import { complaint } from '../../core/option-checks.js';
import { limiterFrom } from '../shared/client-options.js';
import type { LimiterHandle } from '../shared/limiter-handle.js';
import { isWrappedLike, WRAPPED, type Wrapped } from '../shared/wrapped.js';
import { isDriver } from './is-driver.js';
import { type Create, LimitRequest, limitMade } from './limit-client.js';
import type { LimitedResult, MysqlArguments, MysqlClient } from './limited-mysql.js';
import { type LimitedMysqlOptions, resolveMysqlOptions } from './mysql-options.js';

/** The functions of mysql2 and mysql2/promise that make a client. */
const NAMES = [
  'createConnection',
  'connect',
  'createPool',
  'createPoolCluster',
  'createConnectionPromise',
  'createPoolPromise',
  'createPoolClusterPromise',
] as const;
const MAKERS: ReadonlySet<PropertyKey> = new Set(NAMES);

/** A module of mysql2 with a {@link LimiterHandle}; what it makes has that limiter, too. */
export type LimitedDriver<D extends object> = LimitedMakers<D> & D & LimiterHandle;

/** First of the overloads, which are tried in their order. */
type LimitedMakers<D> = {
  readonly [K in keyof D & (typeof NAMES)[number]]: D[K] extends (
    ...args: never[]
  ) => MysqlClient | Promise<MysqlClient>
    ? (...args: MysqlArguments<D[K]>) => LimitedResult<ReturnType<D[K]>>
    : unknown;
};

const KIND = 'limitDriver';

/**
 * A module to put where a library expects `mysql2`, for those that make their connections or pools themselves (sequelize,
 * knex, typeorm): everything it makes is limited, all by one limiter. Everything else is the module's own.
 *
 * @param driver `mysql2` or `mysql2/promise`
 * @returns the module, with that limiter on it; one that is limited already as it is
 * @throws TypeError | RangeError for options that are no good, for what is no such module, and for a module that has another
 * limiter
 */
export function limitDriver<D extends object>(
  driver: D,
  options: LimitedMysqlOptions = {},
): LimitedDriver<D> {
  resolveMysqlOptions(KIND, options);
  if (!isDriver(driver)) {
    throw new TypeError(complaint('the driver', 'the module mysql2 or mysql2/promise', driver));
  }
  if (isWrappedLike(driver, { ...options })) return driver as LimitedDriver<D>;
  const limiter = limiterFrom(options, 'mysql2');
  const { abandonedStatements, abandonedTimeoutMs, maxCheckoutMs } = options;
  const own = { limiter, abandonedStatements, abandonedTimeoutMs, maxCheckoutMs };
  const wrapped: Wrapped = { kind: KIND, limiter, options: { ...options } };
  const makers = new Map<PropertyKey, unknown>();
  // A proxy, not a copy: the module has getters, and grows.
  return new Proxy(driver, {
    get(target, key) {
      if (key === 'limiter') return limiter;
      if (key === WRAPPED) return wrapped;
      const value = Reflect.get(target, key);
      if (!MAKERS.has(key) || typeof value !== 'function') return value;
      let maker = makers.get(key);
      if (maker === undefined) {
        maker = makerOf(value as Create, own);
        makers.set(key, maker);
      }
      return maker;
    },
  }) as LimitedDriver<D>;
}

/** No arrow function: mysql2's may be called with `new`. */
function makerOf(create: Create, options: LimitedMysqlOptions): Create {
  function maker(...args: unknown[]): unknown {
    return limitMade(new LimitRequest(KIND, options), create, args, maker);
  }
  Object.defineProperty(maker, 'name', { value: create.name, configurable: true });
  Object.defineProperty(maker, 'length', { value: create.length, configurable: true });
  return maker;
}
