import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BackpressureError } from './backpressure-error.js';
import { Limiter } from './limiter.js';
import type { OperationInfo } from './operation-info.js';
import type { Outcome } from './outcome.js';

const MAX = 12;
const BULKHEADS = { scan: 2, batch: 5 };
const SHARES: Readonly<Record<string, number>> = BULKHEADS;

/** A limiter beside the plainest bookkeeping that can tell what it has to do. */
class Model {
  now = 0;
  readonly limiter = new Limiter({
    maxConcurrentOps: MAX,
    bulkheads: BULKHEADS,
    now: () => this.now,
    classify: (error) => error as Outcome,
  });
  limit = MAX;
  draining = false;
  running: Operation[] = [];
  ended: Operation[] = [];
  readonly outcomes: Record<Outcome, number> = { success: 0, failed: 0, overload: 0, ignored: 0 };
  admitted = 0;
  rejected = 0;
  doubleReleases = 0;
  peak = 0;
  offered = 0;

  inFlight(operationClass?: string): number {
    return this.running
      .filter((operation) => operationClass === undefined || operation.operationClass === operationClass)
      .reduce((sum, operation) => sum + operation.weight, 0);
  }

  /** What an operation would weigh now, and why it must be refused. */
  verdict({ operationClass = 'default', weight = 1 }: OperationInfo) {
    const share = SHARES[operationClass] ?? Number.POSITIVE_INFINITY;
    const weighs = Math.min(weight, this.limit, share);
    this.offered++;
    if (this.draining) return { weighs, reason: 'draining' };
    if (this.inFlight() + weighs > this.limit) return { weighs, reason: 'limit' };
    if (this.inFlight(operationClass) + weighs > share) return { weighs, reason: 'bulkhead' };
    return { weighs, reason: undefined };
  }

  begin(operation: Operation): void {
    this.running.push(operation);
    this.admitted++;
    this.peak = Math.max(this.peak, this.inFlight());
  }

  async end(operation: Operation, outcome: Outcome): Promise<void> {
    this.running = this.running.filter((other) => other !== operation);
    this.ended.push(operation);
    this.outcomes[outcome]++;
    await operation.finish(outcome);
  }

  check(): void {
    const stats = this.limiter.stats();
    expect(stats).toMatchObject({
      limit: this.limit,
      inFlight: this.inFlight(),
      running: this.running.length,
      admitted: this.admitted,
      rejected: this.rejected,
      succeeded: this.outcomes.success,
      failed: this.outcomes.failed,
      overloaded: this.outcomes.overload,
      ignored: this.outcomes.ignored,
      doubleReleases: this.doubleReleases,
      peakInFlight: this.peak,
    });
    expect(this.offered).toBe(stats.admitted + stats.rejected);
    expect(stats.admitted).toBe(
      stats.succeeded + stats.failed + stats.overloaded + stats.ignored + stats.running,
    );
    expect(stats.limit).toBeLessThanOrEqual(MAX);
    const oldest = this.running.reduce((age, operation) => Math.max(age, this.now - operation.since), 0);
    expect(stats.oldestPermitMs - oldest).toBeGreaterThanOrEqual(0);
    expect(stats.oldestPermitMs - oldest).toBeLessThan(10);
    for (const name of [...Object.keys(BULKHEADS), 'default']) {
      const inFlight = stats.classes[name]?.inFlight ?? 0;
      expect(inFlight).toBe(this.inFlight(name));
      expect(inFlight).toBeLessThanOrEqual(SHARES[name] ?? MAX);
    }
  }
}

interface Operation {
  readonly operationClass: string;
  readonly weight: number;
  readonly since: number;
  finish(outcome: Outcome): unknown;
  again?(): void;
}

type Action = (model: Model) => unknown;

const operation: fc.Arbitrary<OperationInfo> = fc.record({
  operationClass: fc.constantFrom('default', 'scan', 'batch'),
  weight: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 2 * MAX })),
});
const outcome = fc.constantFrom<Outcome>('success', 'failed', 'overload', 'ignored');
const which = fc.nat(100);

const acquire: fc.Arbitrary<Action> = fc
  .record({ op: operation, mayThrow: fc.boolean() })
  .map(({ op, mayThrow }) => (model) => {
    const { weighs, reason } = model.verdict(op);
    let permit: ReturnType<Limiter['tryAcquire']>;
    try {
      permit = mayThrow ? model.limiter.acquire(op) : model.limiter.tryAcquire(op);
    } catch (error) {
      expect(error).toBeInstanceOf(BackpressureError);
      expect((error as BackpressureError).reason).toBe(reason);
    }
    expect(permit === undefined).toBe(reason !== undefined);
    if (permit === undefined) {
      model.rejected++;
      return;
    }
    const taken = permit;
    model.begin({
      operationClass: op.operationClass!,
      weight: weighs,
      since: model.now,
      finish: (how) => taken.release(how),
      again: () => taken.release(),
    });
  });

const run: fc.Arbitrary<Action> = operation.map((op) => async (model) => {
  const { weighs, reason } = model.verdict(op);
  let settle: (how: Outcome) => void = () => {};
  let called = false;
  const running = model.limiter.run(() => {
    called = true;
    return new Promise<string>((resolve, reject) => {
      settle = (how) => (how === 'success' ? resolve(how) : reject(how));
    });
  }, op);
  expect(called).toBe(reason === undefined);
  const end = running.catch((error) => error);
  if (reason === undefined) {
    const finish = async (how: Outcome) => {
      settle(how);
      expect(await end).toBe(how);
    };
    model.begin({ operationClass: op.operationClass!, weight: weighs, since: model.now, finish });
    return;
  }
  model.rejected++;
  expect(await end).toMatchObject({ reason, limit: model.limit, inFlight: model.inFlight() });
});

/** Ends within the call: a plain value or a synchronous throw. */
const runAtOnce: fc.Arbitrary<Action> = fc
  .record({ op: operation, how: outcome })
  .map(({ op, how }) => async (model) => {
    const { weighs, reason } = model.verdict(op);
    const running = model.limiter.run(() => {
      if (how !== 'success') throw how;
      return how;
    }, op);
    const end = await running.catch((error) => error);
    if (reason !== undefined) {
      model.rejected++;
      expect(end.reason).toBe(reason);
      return;
    }
    expect(end).toBe(how);
    const instant = {
      operationClass: op.operationClass!,
      weight: weighs,
      since: model.now,
      finish: () => {},
    };
    model.begin(instant);
    await model.end(instant, how);
  });

const exempt: fc.Arbitrary<Action> = fc.constant((model) => {
  const { gate } = model.limiter;
  model.offered++;
  expect(gate.refusal(gate.classes.get('admin'), 0)).toBe(undefined);
  const permit = gate.permitForOperation(gate.classes.get('admin'), 0);
  model.begin({ operationClass: 'admin', weight: 0, since: model.now, finish: (how) => permit.release(how) });
});

const finish: fc.Arbitrary<Action> = fc.record({ which, how: outcome }).map(({ which, how }) => (model) => {
  const one = model.running[which % Math.max(1, model.running.length)];
  return one && model.end(one, how);
});

const releaseAgain: fc.Arbitrary<Action> = which.map((which) => (model) => {
  const permits = model.ended.filter((operation) => operation.again !== undefined);
  const permit = permits[which % Math.max(1, permits.length)];
  if (permit === undefined) return;
  permit.again?.();
  model.doubleReleases++;
});

const resize: fc.Arbitrary<Action> = fc.integer({ min: 1, max: MAX }).map((limit) => (model) => {
  model.limiter.resize(limit);
  model.limit = limit;
});

const drain: fc.Arbitrary<Action> = fc.constant((model) => {
  model.draining = true;
  void model.limiter.drain();
});

const pass: fc.Arbitrary<Action> = fc.double({ min: 0, max: 50, noNaN: true }).map((ms) => (model) => {
  model.now += ms;
});

const actions = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: acquire },
    { weight: 6, arbitrary: run },
    { weight: 3, arbitrary: runAtOnce },
    { weight: 2, arbitrary: exempt },
    { weight: 12, arbitrary: finish },
    { weight: 2, arbitrary: releaseAgain },
    { weight: 3, arbitrary: resize },
    { weight: 4, arbitrary: pass },
    { weight: 1, arbitrary: drain },
  ),
  { maxLength: 120 },
);

test('whatever happens in whatever order, the limiter admits, refuses and counts as its plain model does', async () => {
  await fc.assert(
    fc.asyncProperty(actions, async (steps) => {
      const model = new Model();
      for (const step of steps) {
        await step(model);
        model.check();
      }
      for (const one of model.running) await model.end(one, 'success');
      model.check();
      expect([model.limiter.inFlight, model.limiter.stats().running]).toEqual([0, 0]);
      await model.limiter.drain();
      expect(model.limiter.stats().state).toBe('drained');
    }),
    { numRuns: 300 },
  );
});
