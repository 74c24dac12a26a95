import type { BackpressureError } from '../../core/backpressure-error.js';
import type { Outcome } from '../../core/outcome.js';
import { defineHidden } from '../shared/patch-methods.js';
import { type Admission, rejectsLater } from './admission.js';
import { type Hold, isHold } from './hold.js';
import type { Callback, RedisCommand, RedisPipeline } from './ioredis-internals.js';
import { isTimed, LateReplies, timedCommands } from './late-replies.js';
import { outcomeOfExecReply } from './outcomes.js';

/**
 * Admits commands one by one as they join the pipeline that ioredis makes for them (`enableAutoPipelining`), and settles
 * each with its own result.
 *
 * ioredis pairs results with callbacks by their place: it adds the caller's callback, then the command. The callback is
 * taken out until the command is admitted, so that nobody gets another's result. A refused one throws inside ioredis'
 * promise, which rejects.
 */
export function admitJoining(admission: Admission, pipeline: RedisPipeline): void {
  const { sendCommand, exec } = pipeline;
  const { transaction } = admission.classes;
  /** In the order of the callbacks. */
  const joined: Hold[] = [];
  const timed = timedCommands(admission);
  /** Of commands that a timer may answer: each has a hold of its own. */
  const lateReplies = timed === 'none' ? undefined : new Map<Hold, LateReplies>();
  let sent = false;
  /** Of the commands that have joined. */
  let joinedCallbacks: Callback[] | undefined;

  function settleAll(error: unknown, results: readonly unknown[] | undefined): void {
    const outcomeAt = (hold: Hold, place: number): Outcome => {
      const result = error ? undefined : (results![place] as readonly unknown[]);
      const failure = error || result![0];
      if (failure) return admission.classify(failure);
      // In a transaction, only EXEC answers with an array.
      if (hold.operationClass !== transaction) return 'success';
      return outcomeOfExecReply(result![1], admission.classify);
    };
    let place = 0;
    for (const hold of joined) {
      const first = place;
      place += hold.count;
      const late = lateReplies?.get(hold);
      if (late === undefined) hold.settleEach((index) => outcomeAt(hold, first + index));
      else late.settle(hold, outcomeAt(hold, first));
    }
  }

  defineHidden(pipeline, 'sendCommand', function (this: RedisPipeline, command: RedisCommand) {
    const callbacks = callbacksOf(admission, pipeline);
    // A pipeline of the user's, or one that is sent again: it is admitted as a whole, or has been.
    if (callbacks === undefined) return sendCommand.call(this, command);
    joinedCallbacks = callbacks;
    // Of commands whose constructor threw: a key without a string, beside `keyPrefix`. Their callers know.
    const orphans = callbacks.length - 1 - this._queue.length;
    if (orphans > 0) callbacks.splice(this._queue.length, orphans);
    if (command.reject === undefined) throwUnmade(command, callbacks);
    // Away while observers are told: what they send through this client joins the pipeline first.
    const callback = callbacks.pop()!;
    const alone = lateReplies !== undefined && isTimed(command, timed);
    const hold = admission.take(command, alone ? undefined : joined);
    if (!isHold(hold)) {
      if (!rejectsLater(hold)) throw hold;
      setImmediate(callback, hold);
      return this;
    }
    callbacks.push(callback);
    if (hold !== joined.at(-1)) {
      hold.pipeline = pipeline;
      joined.push(hold);
    }
    if (admission.ended) admission.giveBackUnlessRejected(hold);
    if (alone) {
      const late = new LateReplies(admission);
      late.watch(command);
      lateReplies.set(hold, late);
    }
    const result = sendCommand.call(this, command);
    // Last, since observers are told: what they send joins behind this one.
    if (admission.stuck.includes(pipeline)) hold.giveBack();
    return result;
  });

  defineHidden(pipeline, 'exec', function (this: RedisPipeline, ...args: [callback?: unknown]) {
    const [callback] = args;
    if (sent || typeof callback !== 'function') return exec.apply(this, args);
    if (joined.length === 0) {
      if (this._queue.length > 0 || !isAutoPipeline(admission, this)) return exec.apply(this, args);
      // Nothing has joined, so nobody waits for this; ioredis goes on with the next one.
      process.nextTick(callback, new Error('floodgate: no command has joined this pipeline'));
      return this.promise;
    }
    sent = true;
    if (joinedCallbacks!.length > this._queue.length) joinedCallbacks!.length = this._queue.length;
    // As ioredis does: callbacks that an old pipeline still holds cost garbage collection a fifth of all work.
    joinedCallbacks = undefined;
    admission.stuck.sending(pipeline);
    try {
      return exec.call(this, (error: unknown, results?: readonly unknown[]) => {
        // First: observers are told next, and what they send is bounded.
        admission.stuck.answered(pipeline);
        settleAll(error, results);
        callback(error, results);
      });
    } catch (error) {
      // It could not be written. As in bare ioredis, that is an uncaught exception, and none of them is ever answered.
      for (const hold of joined) hold.giveBack();
      admission.stuck.neverAnswered(pipeline);
      throw error;
    }
  });
}

/**
 * A command that could not be made, since an argument has no string. In bare ioredis it joins, can't be written later, and
 * takes all the others along, and the client with them. Here its own caller alone hears of it.
 *
 * @throws what ioredis throws when it is to be written
 */
function throwUnmade(command: RedisCommand, callbacks: Callback[]): void {
  callbacks.pop();
  command.promise.catch(() => {});
  command.toWritable();
  throw new TypeError(`floodgate: an argument of ${command.name} can't be written`);
}

/** Whether ioredis has made this pipeline for single commands, whether they still join or not. */
export function isAutoPipeline(admission: Admission, pipeline: RedisPipeline): boolean {
  const key = callbacksKey(admission, pipeline);
  return key !== undefined && pipeline[key] !== undefined;
}

/** The callbacks, as long as commands join. */
function callbacksOf(admission: Admission, pipeline: RedisPipeline): Callback[] | undefined {
  const key = callbacksKey(admission, pipeline);
  const callbacks = key === undefined ? undefined : pipeline[key];
  return Array.isArray(callbacks) ? callbacks : undefined;
}

/** ioredis keeps them under a symbol that it does not export. */
function callbacksKey(admission: Admission, pipeline: RedisPipeline): symbol | undefined {
  if (admission.callbacksKey === undefined) {
    admission.callbacksKey = Object.getOwnPropertySymbols(pipeline).find(
      ({ description }) => description === 'callbacks',
    );
  }
  return admission.callbacksKey;
}

/**
 * Until a cluster knows its slots, ioredis lets each command wait outside any queue. They wait with their permits, which
 * they take along when they join a pipeline.
 */
export function admitDelayed(
  admission: Admission,
  delay: () => (callback: Callback) => void,
): (callback: Callback) => void {
  return function (this: unknown, callback) {
    // A pipeline that holds its permits.
    if (admission.executing) {
      delay().call(this, callback);
      return;
    }
    const hold: Hold | BackpressureError = admission.takeUnknown();
    if (!isHold(hold)) {
      process.nextTick(callback, hold);
      return;
    }
    delay().call(this, (error) => {
      if (error) hold.settle(admission.classify(error));
      else if (hold.state === 'open') admission.handedOver = hold;
      try {
        callback(error);
      } finally {
        if (admission.handedOver === hold) {
          admission.handedOver = undefined;
          hold.settle('ignored');
        }
      }
    });
    if (admission.ended) admission.giveBackUnlessRejected(hold);
  };
}
