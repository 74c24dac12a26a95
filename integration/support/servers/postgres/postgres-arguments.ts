import type { ServerSettings } from '../shared/server.js';

/**
 * Quick to start and to throw away: nothing is flushed to disk, since no test outlives a power cut. The data
 * still survives a stop or a crash of the server alone.
 */
const defaults: ServerSettings = {
  max_connections: 100,
  shared_buffers: '64MB',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
};

export function postgresArguments(settings: ServerSettings, forced: ServerSettings): string[] {
  return Object.entries({ ...defaults, ...settings, ...forced }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
}
