import { isObjectWith } from '../shared/is-object-with.js';

/** Whether this is a module of mysql2, with callbacks or with promises. */
export function isDriver(value: unknown): boolean {
  return isObjectWith(value, ['createConnection', 'createPool']);
}
