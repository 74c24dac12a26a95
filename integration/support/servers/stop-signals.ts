import type { StopMode } from './postgres-server.js';

/** What the postmaster takes for each way of going down: https://www.postgresql.org/docs/current/server-shutdown.html */
export const stopSignals: Readonly<Record<StopMode, NodeJS.Signals>> = {
  smart: 'SIGTERM',
  fast: 'SIGINT',
  immediate: 'SIGQUIT',
};
