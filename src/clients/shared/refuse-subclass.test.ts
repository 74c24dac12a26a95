import { LimitedAerospike } from 'floodgate/aerospike';
import { LimitedRedis } from 'floodgate/ioredis';
import { LimitedMysql } from 'floodgate/mysql2';
import { LimitedClient, LimitedPool } from 'floodgate/pg';
import { expect, test } from 'vitest';

test.each([
  [LimitedAerospike, 'Client of aerospike'],
  [LimitedRedis, 'Redis or Cluster of ioredis'],
  [LimitedMysql, "mysql2's own class"],
  [LimitedClient, 'Client of pg'],
  [LimitedPool, 'Pool of pg'],
])('a subclass of %o is refused, and told what to extend', (Wrapper, client) => {
  class Mine extends (Wrapper as unknown as new (client: object) => object) {}
  expect(() => new Mine({})).toThrow(
    new TypeError(
      `floodgate: ${Wrapper.name} can't be subclassed, since it returns the client itself: subclass ${client}, and pass that class to ${Wrapper.name}`,
    ),
  );
});
