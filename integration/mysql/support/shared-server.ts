import { inject } from 'vitest';
import { demandServer } from '../../support/servers/shared/server-on-demand.js';

/** The address of a server that all test files share. It is started when the first of them asks. */
export function sharedMysql(): Promise<string> {
  return demandServer(inject('mysql').address);
}
