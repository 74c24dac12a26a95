import type { OperationClass } from '../../core/operation-class.js';
import { patchMethods } from '../shared/patch-methods.js';
import type { Checkout, Slot } from './checkout.js';
import type { MysqlContext } from './mysql-context.js';
import { isStatement, type MysqlCommand, type MysqlConnection } from './mysql-internals.js';
import { CommandObserver, wasSkipped } from './observe-command.js';
import { isClientTimeout, outcomeOfMysqlError } from './outcomes.js';

/**
 * Measures what is sent on a pooled connection, once per physical connection: latency and outcome of statements go to the
 * checkout that holds it. Nothing is admitted or refused here, so nothing fails in the middle of a transaction.
 */
export function measureConnection(context: MysqlContext, connection: MysqlConnection, slot: Slot): void {
  const { addCommand } = connection;
  patchMethods(connection, {
    addCommand(this: MysqlConnection, command: MysqlCommand) {
      const { checkout } = slot;
      // What nobody gets an answer to (a closed statement) is no work.
      if (checkout !== undefined && 'onResult' in command) {
        const measured = new MeasuredCommand(context, checkout, command);
        if (checkout.commandStarted(measured)) measured.observe(command, checkout.forOneQuery);
      }
      return addCommand.call(this, command);
    },
  });
}

class MeasuredCommand extends CommandObserver {
  readonly #context: MysqlContext;
  readonly #checkout: Checkout;
  readonly #command: MysqlCommand;
  readonly #operationClass: OperationClass;
  readonly #startedAt: number;
  #timedOut = false;

  constructor(context: MysqlContext, checkout: Checkout, command: MysqlCommand) {
    super();
    this.#context = context;
    this.#checkout = checkout;
    this.#command = command;
    const streaming = isStatement(command) && command.onResult === undefined;
    this.#operationClass = streaming ? context.classes.stream : checkout.operationClass;
    // The pool sends its query in the step in which it has the connection.
    this.#startedAt = checkout.forOneQuery ? checkout.lentAt : context.gate.clock.sample();
  }

  protected override onAnswered(error: unknown): void {
    const { gate, limiter } = this.#context;
    if (error || !wasSkipped(this.#command)) {
      const outcome = error ? limiter.classify(error, outcomeOfMysqlError) : 'success';
      if (!Number.isNaN(this.#startedAt) && isStatement(this.#command)) {
        const now = gate.clock.now();
        gate.recordLatency(this.#operationClass, now - this.#startedAt, outcome, now);
      }
      this.#checkout.note(outcome);
    }
    this.#timedOut = isClientTimeout(error);
    if (this.#timedOut) this.#checkout.commandTimedOut();
    else if (error && this.#checkout.forOneQuery)
      process.nextTick(() => this.#checkout.giveBackAfter(this.#command));
  }

  protected override onDone(): void {
    this.#checkout.commandDone(this.#timedOut);
  }
}
