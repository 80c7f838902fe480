import { defineConfig } from 'vitest/config'

const resolve = { conditions: ['drover-source', 'module', 'node', 'default'] }
const ssr = { resolve: { conditions: ['drover-source', 'module', 'node', 'default'] } }

/** Fault scenarios that need both cores for themselves. */
const WHOLE_MACHINE = ['tests/faults/geth-pool.test.ts', 'tests/faults/poor-endpoints.test.ts']

/**
 * unit: no I/O, beside the source. real: one real thing (PostgreSQL, anvil, a process, a browser) per file.
 * faults: one service and its faults, two files at a time. cluster: several real processes; one file at a time, since each file already
 * uses the whole machine.
 */
export default defineConfig({
  test: {
    retry: 0,
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          sequence: { groupOrder: 0 },
          include: ['packages/*/src/**/*.test.ts'],
          exclude: ['**/*.real.test.ts', '**/node_modules/**'],
          testTimeout: 30_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'real',
          sequence: { groupOrder: 1 },
          include: ['packages/*/src/**/*.real.test.ts', 'tests/**/*.test.ts'],
          exclude: ['tests/cluster/**', 'tests/faults/**', '**/node_modules/**'],
          globalSetup: ['tests/setup/postgres.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'faults',
          sequence: { groupOrder: 2 },
          include: ['tests/faults/**/*.test.ts'],
          exclude: WHOLE_MACHINE,
          globalSetup: ['tests/setup/postgres.ts', 'tests/setup/scenario-table.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'cluster',
          sequence: { groupOrder: 3 },
          include: ['tests/cluster/**/*.test.ts', ...WHOLE_MACHINE],
          globalSetup: ['tests/setup/postgres.ts', 'tests/setup/scenario-table.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
          fileParallelism: false,
        },
      },
    ],
  },
})
