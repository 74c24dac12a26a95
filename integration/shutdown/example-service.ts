import { type ChildService, startChildService } from '../support/child-service.js';

/** The example of the README, in a process of its own. */
export interface ExampleService extends ChildService {
  readonly address: string;
}

/** @param settings its environment: `QUERY`, `NOTICE_MS`, `DEADLINE_MS`, `LAST_MS` */
export async function startExample(
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
): Promise<ExampleService> {
  const service = startChildService('examples/graceful-shutdown.js', {
    DATABASE_URL: databaseUrl,
    PORT: '0',
    ...settings,
  });
  const listening = 'listening on ';
  const address = (await service.line(listening)).replace(listening, '');
  return { ...service, address };
}
