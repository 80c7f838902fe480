import { expect, test } from 'vitest'
import type { Clock } from '../../ports/clock.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import { registerLane } from '../../testing/store/samples.ts'
import { createReadiness } from './readiness.ts'

function createClock() {
  const due: (() => void)[] = []
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    schedule(_delayMs, run) {
      due.push(run)
      return () => void due.splice(due.indexOf(run), 1)
    },
  }
  return { clock, due }
}

const NOTHING_ELSE = { chainStatus: () => [], silentNodes: () => [] }
const NO_LANES = { listLaneStatus: async () => [] }

test('the probe does not wait for a database that never answers', async () => {
  const { clock, due } = createClock()
  const store = { ...NO_LANES, ping: () => new Promise<never>(() => {}) }
  const readiness = createReadiness({ store, clock, schemaVersion: 1, ...NOTHING_ELSE })
  const asked = readiness()
  for (const run of due.splice(0)) run()
  expect(await asked).toMatchObject([
    { part: 'database', message: 'does not respond', runbook: 'docs/runbook.md#database-down', isMinor: false },
  ])
})

test('no timer is left behind by an answer', async () => {
  const { clock, due } = createClock()
  const store = { ...NO_LANES, ping: async () => ({ schemaVersion: 1, nowMs: 0 }) }
  expect(await createReadiness({ store, clock, schemaVersion: 1, ...NOTHING_ELSE })()).toEqual([])
  expect(due).toEqual([])
})

test('a node of the last release stays ready while the schema is newer, and not while it is older', async () => {
  const { clock } = createClock()
  const store = { ...NO_LANES, ping: async () => ({ schemaVersion: 2, nowMs: 0 }) }
  const problemsOf = (schemaVersion: number) => createReadiness({ store, clock, schemaVersion, ...NOTHING_ELSE })()
  expect(await problemsOf(1)).toMatchObject([{ part: 'schema', action: 'Upgrade this node soon.', isMinor: true }])
  expect(await problemsOf(3)).toMatchObject([{ part: 'schema', action: 'Run `drover migrate`.', isMinor: false }])
})

test('a bug in the check is not reported as an outage', async () => {
  const { clock } = createClock()
  const store = {
    ...NO_LANES,
    ping: async () => {
      throw new TypeError('x is not a function')
    },
  }
  await expect(createReadiness({ store, clock, schemaVersion: 1, ...NOTHING_ELSE })()).rejects.toThrow(TypeError)
})

test('a node that does not report is named by its machine, and its id after that', async () => {
  const { clock } = createClock()
  const store = { ...NO_LANES, ping: async () => ({ schemaVersion: 1, nowMs: 0 }) }
  const silentNodes = () => [
    { nodeId: 'id-1', address: 'vm:24102', heartbeatAt: 0 },
    { nodeId: 'id-2', address: null, heartbeatAt: 0 },
  ]
  const found = await createReadiness({ store, clock, schemaVersion: 1, ...NOTHING_ELSE, silentNodes })()
  expect(found.map(({ part }) => part)).toEqual(['node vm:24102 (id-1)', 'node id-2'])
})

test('signer problems are shown without ids of transactions and reservations, because anyone may ask', async () => {
  const memory = createMemoryStore({ clock: createManualClock() })
  await registerLane(memory)
  const problem = { since: 0, nonce: 7, count: null, detail: null }
  const store = {
    ping: memory.ping,
    listLaneStatus: async () =>
      (await memory.listLaneStatus({})).map((status) => ({
        ...status,
        lowestReserved: {
          nonce: 7,
          lockedUntil: 0,
          isUsed: false,
          isFilling: false,
          alarm: null,
          reservationId: 'secret-id',
          tenant: 'secret',
          holder: 'secret key',
          hash: null,
        },
        health: {
          ...status.health,
          problems: [
            { ...problem, code: 'blocked_by_reservation', txId: null } as const,
            { ...problem, code: 'stuck', txId: 'secret-tx' } as const,
          ],
        },
      })),
  }
  const { schemaVersion } = await memory.ping()
  const readiness = createReadiness({ store, clock: createClock().clock, schemaVersion, ...NOTHING_ELSE })
  const told = JSON.stringify(await readiness())
  expect(told).toContain('Now nonce 7 is reserved')
  expect(told).toContain('Nonce 7 is stuck')
  expect(told).not.toContain('secret')
})
