import * as ioredis6 from 'ioredis';
import * as ioredis5 from 'ioredis5';

export type Ioredis = typeof ioredis6;

/** For `describe.each`: the same tests run over both. Where their types differ, those of 6 are taken. */
export const versions: readonly (readonly [name: string, module: Ioredis])[] = [
  ['ioredis 6', ioredis6],
  ['ioredis 5', ioredis5 as unknown as Ioredis],
];
