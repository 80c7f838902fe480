import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/setup/longest-first.ts'

const resolve = { conditions: ['drover-source', 'module', 'node', 'default'] }
const ssr = { resolve: { conditions: ['drover-source', 'module', 'node', 'default'] } }

/** Fault scenarios that use as much of the machine as several nodes do. */
const HEAVY_FAULTS = ['tests/faults/geth-pool.test.ts', 'tests/faults/poor-endpoints.test.ts']

/** Unit tests that replace timers, modules or globals: others in the same process would meet them. */
const ALONE = readdirSync(new URL('packages', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
  .map((file) => `packages/${file}`)
  .filter((file) =>
    /\bvi\.(?:mock|doMock|useFakeTimers|stub|spyOn)/.test(readFileSync(new URL(file, import.meta.url), 'utf8')),
  )

/** One for each core; vitest would leave one of them idle. */
const unit = { sequence: { groupOrder: 0 }, testTimeout: 300_000, maxWorkers: '100%' }

const real = {
  globalSetup: ['tests/setup/compile.ts', 'tests/setup/postgres.ts'],
  setupFiles: ['tests/setup/service-logs.ts'],
  hookTimeout: 300_000,
}

/** Files that mostly wait, for blocks or for pauses to end. Each uses a third to a half of a core, and CI has two cores. */
const WAITING_WORKERS = 4

/**
 * unit: no I/O, beside the source; files share their modules, but for those that change what others would meet. real: one real thing (PostgreSQL, anvil, a process, a browser) per file.
 * faults: one service and its faults; they run beside the real ones. cluster: several real processes, so fewer files at a time.
 * Nothing in any of them may depend on the pace of the machine: what they wait for is a signal, or brought about.
 */
export default defineConfig({
  test: {
    retry: 0,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve,
        ssr,
        test: {
          ...unit,
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: ['**/*.real.test.ts', '**/node_modules/**', ...ALONE],
          isolate: false,
        },
      },
      {
        resolve,
        ssr,
        test: {
          ...unit,
          name: 'unit-alone',
          include: ALONE,
          exclude: ['**/*.real.test.ts', '**/node_modules/**'],
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
          globalSetup: [...real.globalSetup, 'tests/setup/dashboard.ts'],
          testTimeout: 300_000,
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
          exclude: HEAVY_FAULTS,
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
          include: ['tests/cluster/**/*.test.ts', ...HEAVY_FAULTS],
          globalSetup: [...real.globalSetup, 'tests/setup/scenario-table.ts'],
          testTimeout: 600_000,
          maxWorkers: 3,
        },
      },
    ],
  },
})
