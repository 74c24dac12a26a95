import { BackpressureError } from '../../core/backpressure-error.js';
import type { OperationClass } from '../../core/operation-class.js';
import { type Outcome, worseOutcome } from '../../core/outcome.js';
import { methodsBehind, patchMethods } from '../shared/patch-methods.js';
import { AbandonedStatement } from './abandoned-statement.js';
import { ConnectionPermits, type GiveBack } from './connection-permits.js';
import type { MysqlContext } from './mysql-context.js';
import {
  type Callback,
  givenCallback,
  isStatement,
  type MysqlCommand,
  type MysqlConnection,
} from './mysql-internals.js';
import { observeCommand, wasSkipped } from './observe-command.js';
import { isOpening, type Opening } from './opening.js';
import { isClientTimeout, outcomeOfMysqlError } from './outcomes.js';
import { tellRejection } from './promised-rejections.js';
import { endsTransaction, opensTransaction } from './transaction-bounds.js';
import { leftInTransaction, watchStatus } from './watch-status.js';

/** What was admitted as one: a command, or the Prepare and the Execute of one `execute()`. */
interface Operation {
  readonly operationClass: OperationClass;
  readonly startedAt: number;
  readonly giveBack: GiveBack;
  /** The worst of its commands' so far. */
  outcome: Outcome | undefined;
  /** Its caller has had a timeout, and the server may work on. */
  abandoned: AbandonedStatement | undefined;
}

/**
 * Puts the gate in front of one standalone connection: a permit for each command that the server answers, one for a whole
 * transaction. All commands pass `addCommand`, where a refused one is turned back before it is sent. Ending and closing
 * statements are the driver's own.
 *
 * @param opening the permit of a connection that is on its way
 */
export function limitConnection(context: MysqlContext, connection: MysqlConnection, opening?: Opening): void {
  const { gate, limiter, classes, options } = context;
  const behind = methodsBehind(connection, ['addCommand', 'execute', 'changeUser', 'end']);
  const permits = new ConnectionPermits(gate);
  const open = new Set<Operation>();
  /** Inside `execute()`, which sends two commands: what became of the first. */
  let executing: { first: Operation | 'refused' | undefined; readonly callback: unknown } | undefined;
  let quitting = false;
  /** Whether the transaction may have ended without a word of the server's: `asking` until it has answered. */
  let unsure: 'no' | 'yes' | 'asking' = 'no';
  /** Why it could not be opened. */
  let failure: unknown;

  function settle(operation: Operation): void {
    if (!open.delete(operation)) return;
    operation.abandoned?.ended();
    operation.giveBack(operation.outcome ?? 'success');
  }

  /** The connection is closed, or given up on: nothing will be answered any more. */
  function lost(): void {
    for (const operation of [...open]) {
      operation.outcome = 'overload';
      settle(operation);
    }
    const { _protocolError, _fatalError } = connection;
    const error = failure ?? _fatalError ?? _protocolError;
    permits.lost(error ? limiter.classify(error, outcomeOfMysqlError) : 'ignored');
  }

  /** The permit that it is opened under stays until it is set up. */
  function keepPermit(opening: Opening): void {
    const permit = opening.handOver();
    if (permit === undefined) return;
    permits.connecting(permit);
    const connected = () => {
      if (failure !== undefined || connection._fatalError || connection._protocolError) return;
      const now = gate.clock.now();
      gate.recordConnectTime(now - opening.startedAt, now);
      permits.connected();
    };
    if (!isOpening(connection)) {
      connected();
      return;
    }
    connection._command?.once('end', connected);
    connection._command?.once('error', (error) => {
      failure = error;
    });
  }

  /** Nobody waits any more for what the server may still be doing. */
  function abandon(stillRuns: () => boolean, onGivenUp: () => void): AbandonedStatement {
    const abandoned = new AbandonedStatement(connection, stillRuns, options.abandonedTimeoutMs, (gaveUp) => {
      if (gaveUp) onGivenUp();
    });
    if (options.abandonedStatements === 'cancel') abandoned.cancel();
    return abandoned;
  }

  /**
   * An error does not say whether it has ended the transaction, as a deadlock does, and a failing `create table`. What is
   * sent next will tell; if nothing is, a ping has to.
   */
  function askSoon(): void {
    if (unsure !== 'no') return;
    unsure = 'yes';
    setImmediate(() => {
      const worthwhile = unsure === 'yes' && permits.inTransaction && open.size === 0 && isUsable(connection);
      unsure = worthwhile ? 'asking' : 'no';
      if (!worthwhile) return;
      connection.ping((error) => {
        unsure = 'no';
        // mysql2 tells what waits for an answer of a lost connection, and an idle connection itself: to its user it is idle.
        const lost = (error as { fatal?: unknown } | undefined)?.fatal === true && !connection._closing;
        if (lost && connection._commands?.length === 0) connection.emit('error', error);
      });
    });
  }

  if (opening !== undefined) keepPermit(opening);
  // After the driver has told of it, and even if nobody listens to that and it is thrown.
  connection.stream.prependOnceListener('close', () => process.nextTick(lost));
  // Our side is closed (`destroy`): the server may be at work still.
  connection.stream.once('finish', () => {
    if (open.size > 0 || permits.keepsOne) abandon(() => open.size > 0, lost);
  });

  function admit(command: MysqlCommand): Operation | BackpressureError {
    const opening = opensTransaction(command);
    const riding = permits.rides(opening);
    // Of a transaction whose BEGIN was rejected: it costs the server nothing, and libraries give up a connection on which
    // it fails.
    const idleEnding = !riding && endsTransaction(command);
    const weight = idleEnding ? 0 : 1;
    const callback = executing === undefined ? command.onResult : executing.callback;
    const streaming = callback === undefined && (executing !== undefined || isStatement(command));
    const operationClass =
      opening || idleEnding || permits.inTransaction
        ? classes.transaction
        : streaming
          ? classes.stream
          : classes.query;
    if (!riding) {
      const refusal = gate.refusal(operationClass, weight);
      if (refusal !== undefined) return gate.reject(operationClass, refusal, 'query');
    }
    const giveBack = permits.take(operationClass, weight, opening);
    const startedAt = gate.clock.now();
    const operation: Operation = {
      operationClass,
      startedAt,
      giveBack,
      outcome: undefined,
      abandoned: undefined,
    };
    open.add(operation);
    return operation;
  }

  /** @param last whether the operation ends with this command */
  function observe(command: MysqlCommand, operation: Operation, last: boolean): void {
    watchStatus(command);
    let failed = false;
    observeCommand(command, {
      answered(error) {
        failed = Boolean(error);
        if (error || (last && !wasSkipped(command))) {
          const outcome = error ? limiter.classify(error, outcomeOfMysqlError) : 'success';
          if (isStatement(command)) {
            gate.recordLatency(operation.operationClass, gate.clock.now() - operation.startedAt, outcome);
          }
          operation.outcome = worseOutcome(operation.outcome, outcome);
        }
        if (isClientTimeout(error)) {
          // Commands run in their order: what is first is what the server works on.
          const stillRuns = () => open.values().next().value === operation;
          operation.abandoned = abandon(stillRuns, () => settle(operation));
        }
      },
      done() {
        permits.serverInTransaction = leftInTransaction(command, connection) ?? permits.serverInTransaction;
        if (last) settle(operation);
        if (failed && permits.inTransaction) askSoon();
      },
    });
  }

  patchMethods(connection, {
    addCommand(this: MysqlConnection, command: MysqlCommand) {
      // What nobody gets an answer to (a closed statement, the handshake) passes.
      if (quitting || !('onResult' in command)) return behind.addCommand.call(this, command);
      if (executing?.first === 'refused') return command;
      const joined = executing?.first;
      const operation = joined ?? admit(command);
      if ('code' in operation) {
        if (executing !== undefined) executing.first = 'refused';
        process.nextTick(refuse, command, operation);
        return command;
      }
      const last = executing === undefined || joined !== undefined;
      if (executing !== undefined) executing.first = operation;
      // What its callback sends, which mysql2 may call right here, is not part of it.
      if (last) executing = undefined;
      observe(command, operation, last);
      return behind.addCommand.call(this, command);
    },

    execute(this: MysqlConnection, sql: unknown, values: unknown, callback: unknown) {
      executing = { first: undefined, callback: givenCallback(values, callback) };
      try {
        return behind.execute.call(this, sql, values, callback);
      } finally {
        executing = undefined;
      }
    },

    changeUser(this: MysqlConnection, options: unknown, callback: unknown) {
      const given = givenCallback(options, callback) as Callback | undefined;
      return behind.changeUser.call(this, typeof options === 'function' ? {} : options, (error) => {
        // mysql2 calls any error of this one fatal, and libraries throw the connection away.
        if (error instanceof BackpressureError) delete (error as { fatal?: boolean }).fatal;
        given?.(error);
      });
    },

    end(this: MysqlConnection, callback?: Callback) {
      quitting = true;
      try {
        permits.ending();
        return behind.end.call(this, callback);
      } finally {
        quitting = false;
      }
    },
  });
}

/** Whether anything can be sent to the server, and answered. */
function isUsable({ stream, _closing, _fatalError, _protocolError }: MysqlConnection): boolean {
  return !(_closing || _fatalError || _protocolError || stream.destroyed || stream.readableEnded);
}

/** As a command learns of any error; of a ping or the like that nobody listens to, nobody learns. */
function refuse(command: MysqlCommand, rejection: BackpressureError): void {
  if (typeof command.onResult === 'function') tellRejection(command.onResult.bind(command), rejection);
  else if (isStatement(command) || command.listenerCount('error') > 0) command.emit('error', rejection);
  command.emit('end');
}
