import { describe, expect, test } from 'vitest';
import { BackpressureError } from '../../core/backpressure-error.js';
import { outcomeOfExecReply, outcomeOfRedisError, outcomeOfResults, REDIS_OUTCOMES } from './outcomes.js';

function reply(message: string): Error {
  return Object.defineProperty(new Error(message), 'name', { value: 'ReplyError' });
}

function named(name: string, message: string): Error {
  return Object.defineProperty(new Error(message), 'name', { value: name });
}

describe('the outcome of an error', () => {
  test.each([
    ['LOADING Redis is loading the dataset in memory', 'overload'],
    ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', 'overload'],
    ['BUSYGROUP Consumer Group name already exists', 'failed'],
    ['BUSYKEY Target key name already exists.', 'failed'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'overload'],
    ['CLUSTERDOWN Hash slot not served', 'overload'],
    ['TRYAGAIN Multiple keys request during rehashing of slot', 'overload'],
    ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'overload'],
    ['ERR max number of clients reached', 'overload'],
    ['UNBLOCKED force unblock from blocking operation', 'ignored'],
    ["READONLY You can't write against a read only replica.", 'failed'],
    ['NOREPLICAS Not enough good replicas to write.', 'failed'],
    ['MISCONF Redis is configured to save RDB snapshots', 'failed'],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'failed'],
    ['NOSCRIPT No matching script. Please use EVAL.', 'failed'],
    ['EXECABORT Transaction discarded because of previous errors.', 'failed'],
    ['MOVED 3999 127.0.0.1:6381', 'failed'],
    ['ERR unknown command', 'failed'],
    // What a script of the user's says is an answer, whatever the words.
    ['ERR Command timed out', 'failed'],
    ['Connection is closed.', 'failed'],
  ])('of the server: %s', (message, outcome) => {
    expect(outcomeOfRedisError(reply(message))).toBe(outcome);
  });

  test.each([
    ['Error', 'Command timed out', 'overload'],
    ['MaxRetriesPerRequestError', 'Reached the max retries per request limit (which is 20).', 'overload'],
    ['ClusterAllFailedError', 'Failed to refresh slots cache.', 'overload'],
    ['Error', 'Too many Cluster redirections. Last error: ReplyError: CLUSTERDOWN', 'overload'],
    ['Error', 'None of startup nodes is available', 'overload'],
    ['Error', 'All sentinels are unreachable and retry is disabled.', 'overload'],
    ['Error', 'Connection is closed.', 'overload'],
    ['Error', "Stream isn't writeable and enableOfflineQueue options is false", 'overload'],
    ['Error', "Cluster isn't ready and enableOfflineQueue options is false", 'overload'],
    ['AbortError', 'Command aborted due to connection close', 'overload'],
    ['AbortError', 'Cluster is ended.', 'ignored'],
    ['AbortError', 'This operation was aborted', 'ignored'],
    ['Error', 'Connection in subscriber mode, only subscriber commands may be used', 'failed'],
    ['Error', 'All keys in the pipeline should belong to the same slots allocation group', 'failed'],
    ['TypeError', 'x is not a function', 'failed'],
  ])('of ioredis: %s: %s', (name, message, outcome) => {
    expect(outcomeOfRedisError(named(name, message))).toBe(outcome);
  });

  test('of the system, of a limiter, and of what is no error', () => {
    expect(outcomeOfRedisError(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))).toBe('overload');
    const details = { limiter: 'x', operation: 'get', limit: 1, inFlight: 1, retryAfterMs: 1 };
    expect(outcomeOfRedisError(new BackpressureError({ ...details, reason: 'limit' }))).toBe('ignored');
    for (const value of [undefined, null, 'text', 0]) expect(outcomeOfRedisError(value)).toBe('failed');
  });

  test('every row is reached, and says where it is from', () => {
    for (const row of REDIS_OUTCOMES) {
      expect(row.source).not.toBe('');
      const message = row.message ?? (row.word === undefined ? 'anything' : `${row.word} anything`);
      expect(outcomeOfRedisError(named(row.name ?? 'Error', message)), row.source).toBe(row.outcome);
    }
  });
});

describe('the outcome of results', () => {
  const wrong = reply('WRONGTYPE Operation');
  const busy = reply('BUSY Redis is busy');

  test.each([
    ['none', [], 'success'],
    [
      'all well',
      [
        [null, 'a'],
        [null, null],
      ],
      'success',
    ],
    ['an application error', [[null, 'a'], [wrong]], 'failed'],
    ['the worst decides', [[wrong], [busy], [null, 'a']], 'overload'],
    ['no array: EXEC of a watched key', null, 'success'],
  ])('%s', (_case, results, outcome) => {
    expect(outcomeOfResults(results, outcomeOfRedisError, false)).toBe(outcome);
  });

  test('errors inside of EXEC’s reply count; values that happen to be arrays do not', () => {
    const results = [
      [null, 'OK'],
      [null, ['a', wrong]],
    ];
    expect(outcomeOfResults(results, outcomeOfRedisError, true)).toBe('failed');
    expect(outcomeOfResults(results, outcomeOfRedisError, false)).toBe('success');
    expect(outcomeOfExecReply(['OK', busy], outcomeOfRedisError)).toBe('overload');
    expect(outcomeOfExecReply(null, outcomeOfRedisError)).toBe('success');
  });
});
