import { describe, expect, test } from 'vitest';
import { loadAerospike } from './load-aerospike.js';

const failing = (message: string) => loadAerospike(() => Promise.reject(new Error(message)));

describe('a client whose addon does not load', () => {
  test('is an error that says why, and what to install', async () => {
    await expect(
      failing('libyaml-0.so.2: cannot open shared object file: No such file or directory'),
    ).rejects.toThrow(
      "aerospike's native addon does not load: libyaml-0.so.2: cannot open shared object file: No such file or directory\n" +
        'Install libyaml (Debian, Ubuntu: libyaml-0-2; Alpine: yaml; Red Hat: libyaml).',
    );
    await expect(failing('libz.so.1: cannot open shared object file')).rejects.toThrow(
      "Install the system's package that brings libz.so.1.",
    );
    await expect(failing("Cannot find package 'aerospike'")).rejects.toThrow('npm install aerospike');
    await expect(failing('Could not locate the bindings file.')).rejects.toThrow('It is prebuilt for Linux');
  });

  test('does not keep the wrapper from being loaded', async () => {
    const { LimitedAerospike } = await import('floodgate/aerospike');
    expect(() => new LimitedAerospike(undefined as never)).toThrow(
      'floodgate: the client must be Aerospike.Client or a client of its kind, got undefined',
    );
  });
});

test('here it loads', async () => {
  const { Client, AerospikeError } = await loadAerospike();
  expect([typeof Client, typeof AerospikeError]).toEqual(['function', 'function']);
});
