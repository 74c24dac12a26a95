import { randomBytes } from 'node:crypto';
import { ownedServer } from '../shared/owned-server.js';
import { serverInContainer } from '../shared/server-in-container.js';
import { sqlPlace } from '../shared/sql-server.js';
import { postgresArguments } from './postgres-arguments.js';
import { type PostgresOptions, type PostgresServer, type StopMode, stopSignals } from './postgres-server.js';
import { waitForPostgres } from './wait-for-postgres.js';

/** A server in a container of its own, on a host port that stays the same over stop and start. */
export async function postgresInContainer(options: PostgresOptions): Promise<PostgresServer> {
  const password = randomBytes(12).toString('hex');
  const urlAt = (host: string, port: number) => `postgres://postgres:${password}@${host}:${port}/postgres`;
  const { engine, facts } = await serverInContainer<StopMode>(
    {
      image: 'postgres:17-alpine',
      port: 5432,
      environment: () => ({ POSTGRES_PASSWORD: password }),
      command: ['postgres', ...postgresArguments(options.settings ?? {}, { listen_addresses: '*' })],
      ready: /ready to accept connections/,
      stopSignal: (mode) => stopSignals[mode],
      answers: (host, port, givenUp) =>
        waitForPostgres({ url: urlAt(host, port), deadlineMs: 60_000, givenUp }),
    },
    options.log,
  );
  const place = sqlPlace(urlAt(facts.host, facts.port), 5432);
  return ownedServer('PostgreSQL', { ...place, ...facts }, engine, 'fast');
}
