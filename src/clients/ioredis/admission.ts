import type { BackpressureError } from '../../core/backpressure-error.js';
import type { Gate } from '../../core/gate.js';
import type { Limiter } from '../../core/limiter.js';
import type { NodeShare } from '../../core/node-shares.js';
import type { OperationClass } from '../../core/operation-class.js';
import type { Outcome } from '../../core/outcome.js';
import { ClusterNodes } from './cluster-nodes.js';
import { HeldOperations, type Hold, isHold } from './hold.js';
import type { RedisClient, RedisCommand } from './ioredis-internals.js';
import { kindOf } from './operations.js';
import { outcomeOfExecReply, outcomeOfRedisError } from './outcomes.js';
import type { ResolvedRedisOptions } from './redis-options.js';
import { ScriptResends } from './script-resends.js';
import { StuckPipelines } from './stuck-pipelines.js';
import { Transactions } from './transactions.js';

/** Decides for every command of one client whether it is admitted, and as what. It sends nothing. */
export class Admission {
  readonly client: RedisClient;
  readonly limiter: Limiter;
  readonly gate: Gate;
  readonly options: ResolvedRedisOptions;
  readonly held: HeldOperations;
  readonly transactions = new Transactions();
  readonly resends: ScriptResends;
  readonly stuck: StuckPipelines;
  readonly nodes: ClusterNodes | undefined;
  readonly classes: Readonly<
    Record<
      'command' | 'pipeline' | 'blocking' | 'connection' | 'subscription' | 'transaction',
      OperationClass
    >
  >;
  readonly classify = (error: unknown): Outcome => this.limiter.classify(error, outcomeOfRedisError);
  /** The client's own ready check is being sent. */
  checkingReadiness = false;
  /** A permit taken before, for the command that comes in this same turn. */
  handedOver: Hold | undefined;
  /** A pipeline that holds its permits is being sent. */
  executing = false;
  /** The client has ended. What it does not reject at once then waits for a `connect()` that may never come. */
  ended: boolean;
  /** ioredis is emptying its queues. */
  givingUp = false;
  /** Under which ioredis keeps the callbacks of a pipeline that it has made itself, once that is known. */
  callbacksKey: symbol | undefined;
  /** The name of the node, where the client is one node of a limited cluster. */
  readonly #node: string | undefined;

  constructor(client: RedisClient, limiter: Limiter, options: ResolvedRedisOptions, node?: string) {
    const { gate } = limiter;
    this.client = client;
    this.ended = client.status === 'end';
    this.limiter = limiter;
    this.gate = gate;
    this.options = options;
    this.held = new HeldOperations(gate);
    this.resends = new ScriptResends(client);
    this.stuck = new StuckPipelines(client, this.held);
    this.nodes = client.isCluster ? new ClusterNodes(client, gate) : undefined;
    this.#node = node;
    this.classes = {
      command: gate.classes.get('command'),
      pipeline: gate.classes.get('pipeline'),
      blocking: gate.classes.get('blocking'),
      connection: gate.classes.get('connection'),
      subscription: gate.classes.get('subscription'),
      transaction: gate.classes.get('transaction'),
    };
  }

  /**
   * Takes the permit of a command that is about to be sent; returns the error if it is refused.
   *
   * @param joined an ordinary command may share the last of these holds; the result is that one if it does
   */
  take(command: RedisCommand, joined?: readonly Hold[]): Hold | BackpressureError {
    const { classes, client } = this;
    const handedOver = this.handedOver ?? this.resends.take(command);
    if (handedOver !== undefined) {
      this.handedOver = undefined;
      return handedOver;
    }
    if (this.checkingReadiness) {
      // This one command; not what an observer sends when it is told of it.
      this.checkingReadiness = false;
      return this.#exempt(classes.connection);
    }
    const kind = kindOf(command);
    if (kind === 'connection' || kind === 'subscription') return this.#exempt(classes[kind]);
    if (kind === 'end of transaction') return this.#endTransaction(command);
    const { open, refused } = this.transactions;
    if (open) return this.#exempt(classes.transaction);
    if (refused !== undefined) return this.gate.reject(classes.transaction, refused, command.name);
    if (client.condition?.subscriber && client.mode === 'subscriber') {
      return this.#exempt(classes.subscription);
    }
    if (kind === 'command') return this.#takeOne(classes.command, command, joined);
    if (kind === 'blocking') return this.#takeBlocking(command);
    // A cluster client sends each command where it belongs: MULTI opens nothing there.
    if (kind === 'multi' && this.nodes === undefined) return this.#beginTransaction(command);
    const hold = this.#takeOne(classes.command, command, joined);
    if (kind === 'watch' && !isHold(hold)) this.transactions.refuseWatch(hold.reason);
    return hold;
  }

  /**
   * Takes the permits of a whole pipeline; returns the error if it is refused.
   *
   * @param withMulti there is a transaction in it
   */
  takePipeline(
    commands: readonly RedisCommand[],
    wanted: number,
    operation: string,
    withMulti: boolean,
  ): Hold | BackpressureError {
    const { pipeline: operationClass, transaction } = this.classes;
    const { open, refused, watchRefused } = this.transactions;
    if (open) return this.#exempt(transaction);
    if (refused !== undefined) return this.gate.reject(transaction, refused, operation);
    const weight = this.gate.clampWeight(operationClass, wanted);
    const refusal = (withMulti ? watchRefused : undefined) ?? this.gate.refusal(operationClass, weight);
    if (refusal !== undefined) return this.gate.reject(operationClass, refusal, operation, weight);
    const share = this.nodes === undefined ? this.#ownShare() : this.nodes.shareOfAll(commands);
    return this.#enter(operationClass, weight, share, operation);
  }

  /** A permit for a command that nothing is known of yet but that it is one. */
  takeUnknown(): Hold | BackpressureError {
    const { command } = this.classes;
    const refusal = this.gate.refusal(command, 1);
    if (refusal !== undefined) return this.gate.reject(command, refusal, 'command');
    return this.#enter(command, 1, undefined, 'command');
  }

  /** Part of a pipeline that holds its permits, sent apart from it. */
  exemptFromPipeline(): Hold {
    return this.#exempt(this.classes.pipeline);
  }

  /** For what was sent to a client that has ended: what it is going to reject, it rejects within this turn. */
  giveBackUnlessRejected(hold: Hold | undefined): void {
    if (hold?.state !== 'open') return;
    setImmediate(() => {
      if (this.ended) hold.giveBack();
    });
  }

  /**
   * A command whose permit was given back is sent after all. What the server may have seen before is not refused; where
   * there is no permit for it, it goes without.
   */
  takeAgain(command: RedisCommand, former: Hold): Hold | BackpressureError {
    const { gate } = this;
    const { operationClass, weight, queuedAt } = former;
    const refusal = gate.refusal(operationClass, weight);
    if (queuedAt === undefined && refusal !== undefined) return this.#exempt(operationClass);
    if (refusal !== undefined) return gate.reject(operationClass, refusal, command.name, weight);
    const share = former.share && gate.nodes.share(former.share.name);
    if (queuedAt !== undefined) return this.#enter(operationClass, weight, share, command.name);
    return this.held.take(operationClass, weight, share, gate.clock.sample(), this.#queuedAt());
  }

  #takeOne(
    operationClass: OperationClass,
    command: RedisCommand,
    joined?: readonly Hold[],
  ): Hold | BackpressureError {
    const refusal = this.gate.refusal(operationClass, 1);
    if (refusal !== undefined) return this.gate.reject(operationClass, refusal, command.name);
    const share = this.nodes === undefined ? this.#ownShare() : this.nodes.shareOf(command);
    return this.#enter(operationClass, 1, share, command.name, joined);
  }

  /** The gate has room; the node that it hangs on may still have had its share. */
  #enter(
    operationClass: OperationClass,
    weight: number,
    share: NodeShare | undefined,
    operation: string,
    joined?: readonly Hold[],
  ): Hold | BackpressureError {
    const { gate } = this;
    if (share !== undefined && gate.nodes.refuses(share, weight, gate.limit, gate.inFlight)) {
      share.rejected++;
      const shareTaken = gate.nodes.shareTaken(share, gate.limit, gate.inFlight);
      return gate.reject(operationClass, 'bulkhead', operation, weight, shareTaken);
    }
    return this.held.take(operationClass, weight, share, gate.clock.sample(), this.#queuedAt(), joined);
  }

  /** Asked for each time: it is forgotten whenever nothing is held for a node that is no master. */
  #ownShare(): NodeShare | undefined {
    return this.#node === undefined ? undefined : this.gate.nodes.share(this.#node);
  }

  /** By default they take no permits: they wait for data. Then their bulkhead, if there is one, is all that bounds them. */
  #takeBlocking(command: RedisCommand): Hold | BackpressureError {
    const { gate } = this;
    const { blocking } = this.classes;
    if (this.options.blocking === 'limit') return this.#takeOne(blocking, command);
    const refusal = gate.draining
      ? 'draining'
      : blocking.running >= blocking.bulkhead
        ? 'bulkhead'
        : undefined;
    if (refusal !== undefined) return gate.reject(blocking, refusal, command.name);
    return this.held.take(blocking, 0, undefined, gate.clock.sample());
  }

  #beginTransaction(multi: RedisCommand): Hold | BackpressureError {
    const { pipeline, transaction } = this.classes;
    const refusal = this.transactions.watchRefused ?? this.gate.refusal(pipeline, 1);
    if (refusal !== undefined) {
      this.transactions.refuse(refusal);
      return this.gate.reject(pipeline, refusal, 'multi');
    }
    const whole = this.held.take(pipeline, 1, this.#ownShare(), Number.NaN, this.#queuedAt());
    const hold = this.#exempt(transaction);
    hold.onEnd = this.transactions.begin(multi, whole);
    return hold;
  }

  #endTransaction(command: RedisCommand): Hold | BackpressureError {
    const { gate } = this;
    const { pipeline, transaction } = this.classes;
    const { refused } = this.transactions;
    const ending = this.transactions.finish(command);
    if (refused !== undefined) return gate.reject(transaction, refused, command.name);
    const hold = this.#exempt(transaction);
    if (ending === undefined) return hold;
    // The caller's own time between the commands is no latency; EXEC does the work.
    const startedAt = gate.clock.now();
    hold.onEnd = (outcome) => {
      gate.recordLatency(pipeline, gate.clock.now() - startedAt, outcome);
      ending.end(outcome);
    };
    return hold;
  }

  /** Of a reply that is no error; EXEC's carries errors inside. */
  outcomeOf(command: RedisCommand, reply: unknown): Outcome {
    if (!Array.isArray(reply) || kindOf(command) !== 'end of transaction') return 'success';
    return outcomeOfExecReply(reply, this.classify);
  }

  #exempt(operationClass: OperationClass): Hold {
    return this.held.take(operationClass, 0, undefined, Number.NaN);
  }

  #queuedAt(): number | undefined {
    return this.client.status === 'ready' ? undefined : this.gate.clock.now();
  }
}

/** Who asks for blocking commands asks in a loop; rejected within the turn, it would let no timer and no socket through. */
export function rejectsLater(rejection: BackpressureError): boolean {
  return rejection.operationClass === 'blocking';
}
