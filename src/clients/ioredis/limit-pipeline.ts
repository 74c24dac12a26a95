import { warnOnce } from '../../core/observers.js';
import type { Outcome } from '../../core/outcome.js';
import { defineHidden } from '../shared/patch-methods.js';
import type { Admission } from './admission.js';
import { isAutoPipeline } from './auto-pipeline.js';
import { type Hold, isHold } from './hold.js';
import { HELD, type RedisPipeline } from './ioredis-internals.js';
import { isTimed, LateReplies, timedCommands } from './late-replies.js';
import { outcomeOfResults } from './outcomes.js';

/** On a pipeline that is limited. */
const LIMITED: unique symbol = Symbol('floodgate.limited');

/**
 * Puts the gate in front of one pipeline: it is admitted whole at `exec()`, or refused whole with nothing sent; then
 * `exec()` may be called again. Refusing one command inside would hang the connection for ever.
 *
 * A subclass may make `multi()` of `this.pipeline()`, or the other way round: then it is limited already.
 */
export function limitPipeline(admission: Admission, pipeline: RedisPipeline): void {
  if (pipeline[LIMITED] === true) return;
  defineHidden(pipeline, LIMITED, true);
  const isMulti = isMadeByMulti(pipeline);
  const { exec } = pipeline;
  const timed = timedCommands(admission);
  const late = timed === 'none' ? undefined : new LateReplies(admission);
  let hold: Hold | undefined;

  function send(target: RedisPipeline, args: [callback?: unknown]): Promise<unknown> {
    const result = execute(admission, target, exec, args);
    // Each time: on a cluster that has redirected it, it is sent again with its commands made anew.
    if (late !== undefined) {
      for (const command of target._queue) if (isTimed(command, timed)) late.watch(command);
    }
    return result;
  }

  function run(this: RedisPipeline, ...args: [callback?: unknown]): Promise<unknown> {
    if (hold !== undefined) return send(this, args);
    if (!sends(admission, this, isMulti)) return execute(admission, this, exec, args);
    const withMulti = isMulti || this._queue.some(({ name }) => name === 'multi');
    const weight = weightOf(admission, this, withMulti);
    const operation = isMulti ? 'multi' : 'pipeline';
    const taken = admission.takePipeline(this._queue, weight, operation, withMulti);
    if (!isHold(taken)) return refused(taken, args[0]);
    hold = taken;
    const settle = (outcome: Outcome) =>
      late === undefined ? taken.settle(outcome) : late.settle(taken, outcome);
    taken.pipeline = this;
    hookPipeline(admission, this, settle, withMulti);
    let result: Promise<unknown>;
    try {
      result = send(this, args);
    } catch (error) {
      taken.settle(admission.classify(error));
      throw error;
    }
    if (admission.ended) admission.giveBackUnlessRejected(taken);
    return isMulti && admission.nodes !== undefined ? settledBy(admission, settle, result, args[0]) : result;
  }

  Object.defineProperties(run, {
    name: { value: 'exec', configurable: true },
    length: { value: exec.length, configurable: true },
  });
  if (Object.hasOwn(pipeline, 'exec')) pipeline.exec = run;
  else defineHidden(pipeline, 'exec', run);
}

/**
 * Whether its first `exec()` sends it, EXEC and all: ioredis' `multi()` begins a transaction, and gives the pipeline an
 * `exec()` of its own. Whoever asked for it, it may come from there.
 */
function isMadeByMulti(pipeline: RedisPipeline): boolean {
  return pipeline._transactions > 0 && Object.hasOwn(pipeline, 'exec');
}

/** Whether this `exec()` sends the pipeline; others queue an EXEC in it, have nothing to send, or no way to. */
function sends(admission: Admission, pipeline: RedisPipeline, isMulti: boolean): boolean {
  if (!isMulti && (pipeline._transactions > 0 || pipeline._queue.length === 0)) return false;
  // Its commands were admitted one by one.
  return !isAutoPipeline(admission, pipeline);
}

function execute(
  admission: Admission,
  pipeline: RedisPipeline,
  exec: RedisPipeline['exec'],
  args: [callback?: unknown],
): Promise<unknown> {
  watchScripts(admission, pipeline);
  const outer = admission.executing;
  admission.executing = true;
  try {
    // As it was called: ioredis passes the arguments on to the server when EXEC is only queued.
    return exec.apply(pipeline, args);
  } finally {
    admission.executing = outer;
  }
}

/** A script that the server has forgotten is sent again outside the pipeline, which waits for it. */
function watchScripts(admission: Admission, pipeline: RedisPipeline): void {
  const { client, resends } = admission;
  if (Object.keys(client.scriptsSet).length === 0) return;
  for (const command of pipeline._queue) {
    if (command[HELD] !== undefined || !resends.isScript(command)) continue;
    const { reject } = command;
    command.reject = (error) => {
      if (resends.follows(command, error)) resends.offer(command, admission.exemptFromPipeline());
      return reject.call(command, error);
    };
  }
}

function hookPipeline(
  admission: Admission,
  pipeline: RedisPipeline,
  settle: (outcome: Outcome) => void,
  withMulti: boolean,
): void {
  const { resolve, reject } = pipeline;
  pipeline.resolve = (results) => {
    settle(outcomeOfResults(results, admission.classify, withMulti));
    return resolve.call(pipeline, results);
  };
  pipeline.reject = (error) => {
    settle(admission.classify(error));
    return reject.call(pipeline, error);
  };
}

/** The commands of the user; not the MULTI, EXEC and DISCARD around them. */
function weightOf(admission: Admission, pipeline: RedisPipeline, withMulti: boolean): number {
  const queue = pipeline._queue;
  const commands = withMulti ? queue.filter(({ name }) => !AROUND.has(name)).length : queue.length;
  const usual = Math.max(1, commands);
  const { pipelineWeight } = admission.options;
  if (pipelineWeight === undefined) return usual;
  try {
    const weight = pipelineWeight(commands);
    if (Number.isSafeInteger(weight) && weight >= 1) return weight;
    throw new RangeError(`pipelineWeight must return an integer >= 1, got ${String(weight)}`);
  } catch (error) {
    warnOnce('pipelineWeight', error);
    return usual;
  }
}

const AROUND: ReadonlySet<string> = new Set(['multi', 'exec', 'discard']);

function refused(error: unknown, callback: unknown): Promise<never> {
  const promise = Promise.reject(error);
  if (typeof callback === 'function') {
    // Handled by the callback, as ioredis has it.
    promise.catch(() => {});
    process.nextTick(callback as (error: unknown) => void, error);
  }
  return promise;
}

/** On a cluster that never connects, `multi().exec()` returns a promise of its own, and the pipeline's never settles. */
function settledBy(
  admission: Admission,
  settle: (outcome: Outcome) => void,
  result: Promise<unknown>,
  callback: unknown,
): Promise<unknown> {
  if (admission.client.slots?.length !== 0) return result;
  const failed = (error: unknown) => settle(admission.classify(error));
  if (typeof callback === 'function') {
    result.then(undefined, failed);
    return result;
  }
  return result.then(undefined, (error) => {
    failed(error);
    throw error;
  });
}
