import type { ServerSettings } from '../shared/server.js';

/** Quick to start and to throw away; the data survives a stop, not a crash. */
const defaults: ServerSettings = { save: '86400 1', appendonly: 'no', daemonize: 'no' };

export function redisArguments(settings: ServerSettings, forced: ServerSettings): string[] {
  return Object.entries({ ...defaults, ...settings, ...forced }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
}
