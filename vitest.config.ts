import { defineConfig } from 'vitest/config'

const resolve = { conditions: ['drover-source', 'module', 'node', 'default'] }
const ssr = { resolve: { conditions: ['drover-source', 'module', 'node', 'default'] } }

/** Fault scenarios that need both cores for themselves. */
const WHOLE_MACHINE = ['tests/faults/geth-pool.test.ts', 'tests/faults/poor-endpoints.test.ts']

const real = {
  globalSetup: ['tests/setup/compile.ts', 'tests/setup/postgres.ts'],
  setupFiles: ['tests/setup/service-logs.ts'],
  hookTimeout: 120_000,
}

/** Files that mostly wait for blocks: twice as many at a time as the machines that run them have cores. */
const WAITING_WORKERS = 4

/**
 * unit: no I/O, beside the source; files share their modules. real: one real thing (PostgreSQL, anvil, a process, a browser) per file.
 * faults: one service and its faults; they run beside the real ones, and nothing in either may depend on the pace of the machine.
 * cluster: several real processes; one file at a time, since each file already uses the whole machine.
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
          isolate: false,
        },
      },
      {
        resolve,
        ssr,
        test: {
          ...real,
          name: 'real',
          sequence: { groupOrder: 1 },
          include: ['packages/*/src/**/*.real.test.ts', 'tests/**/*.test.ts'],
          exclude: ['tests/cluster/**', 'tests/faults/**', '**/node_modules/**'],
          testTimeout: 120_000,
          maxWorkers: WAITING_WORKERS,
        },
      },
      {
        resolve,
        ssr,
        test: {
          ...real,
          name: 'faults',
          sequence: { groupOrder: 1 },
          include: ['tests/faults/**/*.test.ts'],
          exclude: WHOLE_MACHINE,
          globalSetup: [...real.globalSetup, 'tests/setup/scenario-table.ts'],
          testTimeout: 600_000,
          maxWorkers: WAITING_WORKERS,
        },
      },
      {
        resolve,
        ssr,
        test: {
          ...real,
          name: 'cluster',
          sequence: { groupOrder: 2 },
          include: ['tests/cluster/**/*.test.ts', ...WHOLE_MACHINE],
          globalSetup: [...real.globalSetup, 'tests/setup/scenario-table.ts'],
          testTimeout: 600_000,
          maxWorkers: 1,
          fileParallelism: false,
        },
      },
    ],
  },
})
