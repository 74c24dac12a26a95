import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^floodgate$/, replacement: source('index.ts') },
      { find: /^floodgate\/aerospike$/, replacement: source('clients/aerospike/index.ts') },
      { find: /^floodgate\/health$/, replacement: source('health/index.ts') },
      { find: /^floodgate\/http$/, replacement: source('http/index.ts') },
      { find: /^floodgate\/ioredis$/, replacement: source('clients/ioredis/index.ts') },
      { find: /^floodgate\/mysql2$/, replacement: source('clients/mysql2/index.ts') },
      { find: /^floodgate\/opentelemetry$/, replacement: source('observe/index.ts') },
      { find: /^floodgate\/pg$/, replacement: source('clients/pg/index.ts') },
      { find: /^floodgate\/retry$/, replacement: source('retry/index.ts') },
    ],
  },
  test: {
    reporters: ['default', './scripts/closing-line-reporter.js'],
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['src/**/*.test.ts', 'bench/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['src/**/*.test-d.ts'],
            tsconfig: './tsconfig.json',
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['integration/**/*.test.ts'],
          globalSetup: ['integration/support/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // Figures of load tests mean nothing beside another load test.
          fileParallelism: false,
          // They share their machine with others, whose work may spoil a figure once, but hardly twice.
          retry: 1,
        },
      },
    ],
  },
});
