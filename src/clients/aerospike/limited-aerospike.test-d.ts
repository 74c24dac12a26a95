import Aerospike, { type AerospikeRecord, type BatchResult, type Key } from 'aerospike';
import { describe, expectTypeOf, test } from 'vitest';
import { Limiter } from '../../core/limiter.js';
import { type AerospikeConnectionStats, LimitedAerospike } from './index.js';

interface User {
  name: string;
  age: number;
  [bin: string]: string | number;
}

declare const key: Key & { digest: Buffer };
const client = new LimitedAerospike(
  Aerospike.Client,
  { maxConcurrentOps: 80, bulkheads: { scan: 4, batch: 20 }, batchWeight: (keys) => Math.ceil(keys / 100) },
  { hosts: '127.0.0.1:3000', maxConnsPerNode: 100 },
);

describe('LimitedAerospike keeps every overload of Client', () => {
  test('construction gives the client that came in, with a limiter', () => {
    expectTypeOf(client).toEqualTypeOf<LimitedAerospike<Aerospike.Client>>();
    expectTypeOf(client).toExtend<Aerospike.Client>();
    expectTypeOf(client.limiter).toEqualTypeOf<Limiter>();
    expectTypeOf(client.connectionStats()).toEqualTypeOf<AerospikeConnectionStats | undefined>();
    expectTypeOf(new LimitedAerospike(Aerospike.client())).toExtend<Aerospike.Client>();
    expectTypeOf(new LimitedAerospike(Aerospike.Client)).toExtend<Aerospike.Client>();
    expectTypeOf(
      new LimitedAerospike(Aerospike.Client, { limiter: new Limiter() }),
    ).toExtend<Aerospike.Client>();
    class Tenants extends Aerospike.Client {
      readonly tenant: string;
      constructor(tenant: string, config: Aerospike.ConfigOptions) {
        super(config);
        this.tenant = tenant;
      }
    }
    expectTypeOf(new LimitedAerospike(Tenants, {}, 'acme', {}).tenant).toEqualTypeOf<string>();
    const annotated: LimitedAerospike = client;
    expectTypeOf(annotated.connect()).toEqualTypeOf<Promise<Aerospike.Client>>();
  });

  test('bins carry their type in each form', () => {
    expectTypeOf(client.get<User>(key)).toEqualTypeOf<Promise<AerospikeRecord<User>>>();
    expectTypeOf(
      client.get<User>(key, (_error, record) => {
        expectTypeOf(record?.bins).toEqualTypeOf<User | undefined>();
      }),
    ).toEqualTypeOf<void>();
    expectTypeOf(client.get<User>(key, {}, () => {})).toEqualTypeOf<void>();
    expectTypeOf(client.batchRead<User>([{ key, readAllBins: true }])).toEqualTypeOf<
      Promise<BatchResult<User>[]>
    >();
    expectTypeOf(client.exists(key)).toEqualTypeOf<Promise<boolean>>();
    expectTypeOf(client.operate<User>(key, [Aerospike.operations.read('age')])).toEqualTypeOf<
      Promise<AerospikeRecord<User>>
    >();
    expectTypeOf(client.query('test', 'users').foreach()).toEqualTypeOf<Aerospike.RecordStream>();
    expectTypeOf(client.close()).toEqualTypeOf<void>();
  });

  test('mistakes do not compile', () => {
    // @ts-expect-error no such class
    new LimitedAerospike(Aerospike.Client, { bulkheads: { scans: 4 } });
    // @ts-expect-error no such class
    new LimitedAerospike(Aerospike.Client, { adaptive: { sheddable: ['info'] } });
    // @ts-expect-error an unknown option
    new LimitedAerospike(Aerospike.Client, { maxConcurentOps: 5 });
    // @ts-expect-error aerospike's configuration is the third argument
    new LimitedAerospike(Aerospike.Client, { hosts: 'x' });
    // @ts-expect-error aerospike has no such setting
    new LimitedAerospike(Aerospike.Client, {}, { maxConnections: 20 });
    // @ts-expect-error a client that exists takes no configuration
    new LimitedAerospike(Aerospike.client(), {}, { hosts: 'x' });
    // @ts-expect-error the limiter is read-only
    client.limiter = new Limiter();
    // @ts-expect-error the type of a bin is known
    client.get<User>(key).then(({ bins }) => bins.name.toFixed());
    // @ts-expect-error a map is no client
    new LimitedAerospike(Map);
  });
});
