import { expect, test } from 'vitest';
import { SamplingClock } from '../../core/sampling-clock.js';
import type { AerospikeClient } from './aerospike-internals.js';
import { RunningCommands } from './running-commands.js';
import { StaleConnections } from './stale-connections.js';

function scene(capacity: number) {
  let now = 0;
  const inUse = new Map([['a', 0]]);
  let readings = 0;
  const client = {
    stats() {
      readings++;
      return { nodes: [...inUse].map(([name, count]) => ({ name, asyncConnections: { inUse: count } })) };
    },
  } as unknown as AerospikeClient;
  const running = new RunningCommands(client);
  const stale = new StaleConnections(client, running, new SamplingClock(() => now), capacity);
  return { stale, running, inUse, at: (ms: number) => (now = ms), readings: () => readings };
}

test('nothing is read until a command has timed out', () => {
  const { stale, readings } = scene(2);
  expect(stale.suspected).toBe(false);
  expect(readings()).toBe(0);
});

test('connections taken by nobody leave less for others, until they are given back', () => {
  const { stale, inUse, at } = scene(3);
  inUse.set('a', 2);
  stale.timedOut();
  expect(stale.exhausted()).toBe(undefined);
  expect(stale.exhausted()).toBe(3);
  at(20);
  inUse.set('a', 1);
  expect(stale.exhausted()).toBe(undefined);
  at(40);
  inUse.set('a', 0);
  expect(stale.exhausted()).toBe(undefined);
  expect(stale.suspected).toBe(false);
});

test('the fullest node counts', () => {
  const { stale, inUse } = scene(3);
  inUse.set('b', 3);
  stale.timedOut();
  expect(stale.exhausted()).toBe(3);
});

test('connections of commands that run are no reason for suspicion', () => {
  const { stale, running, inUse } = scene(3);
  inUse.set('a', 2);
  running.begin();
  running.begin();
  stale.timedOut();
  expect(stale.exhausted()).toBe(undefined);
  expect(stale.suspected).toBe(false);
});

test('figures are read at most fifty times a second', () => {
  const { stale, inUse, at, readings } = scene(100);
  inUse.set('a', 50);
  stale.timedOut();
  for (let ms = 0; ms < 1_000; ms++) {
    at(ms);
    stale.exhausted();
  }
  expect(readings()).toBe(50);
});
