export type { LimiterHandle } from '../shared/limiter-handle.js';
export { nested } from '../shared/nested.js';
export { type LimitedDriver, limitDriver } from './limit-driver.js';
export { LimitedMysql, type LimitedMysqlConstructor, type MysqlClient } from './limited-mysql.js';
export type { LimitedMysqlOptions } from './mysql-options.js';
