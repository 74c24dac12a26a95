import type { ServerSettings } from '../shared/server.js';

/**
 * Quick to start and to throw away: nothing is flushed to disk, since no test outlives a power cut. What only MySQL or
 * only MariaDB knows is `loose-`: the other passes it over.
 */
const defaults: ServerSettings = {
  max_connections: 200,
  innodb_buffer_pool_size: '64M',
  innodb_flush_log_at_trx_commit: 0,
  innodb_doublewrite: 0,
  performance_schema: 'OFF',
  'loose-innodb_log_file_size': '16M',
  'loose-skip-log-bin': 1,
  'loose-mysqlx': 'OFF',
  skip_name_resolve: 'ON',
};

export function mysqlArguments(settings: ServerSettings, forced: ServerSettings): string[] {
  return Object.entries({ ...defaults, ...settings, ...forced }).map(([name, value]) => `--${name}=${value}`);
}
