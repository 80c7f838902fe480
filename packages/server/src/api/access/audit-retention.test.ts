import { expect, test } from 'vitest'
import type { AccessStore } from '../../ports/access-store.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createMemoryAccessStore } from '../../testing/store/memory-access-store.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createAuditRetention } from './audit-retention.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const NOTE = { keyId: null, actor: 'ann', nodeId: null, operation: 'o', target: '/v1/x', result: 'done' }

async function create(over: Partial<AccessStore> = {}) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const memory = createMemoryAccessStore({ clock })
  for (let count = 0; count < 450; count++) await memory.appendAudit(NOTE)
  const settings = { auditMs: 30 * DAY, onlyArchived: false }
  const store = { ...memory, ...over }
  return {
    clock,
    telemetry,
    memory,
    retention: createAuditRetention({ store, clock, telemetry, nodeId: 'n1', settings }),
  }
}

test('old entries are deleted in batches, and one entry says so', async () => {
  const { clock, telemetry, memory, retention } = await create()
  retention.start()
  await clock.advance(29 * DAY)
  expect(await memory.listAudit({ before: null, limit: 1_000 })).toHaveLength(450)
  await clock.advance(DAY + 2 * HOUR)
  const [entry, ...older] = await memory.listAudit({ before: null, limit: 1_000 })
  expect(older).toEqual([])
  expect(entry).toMatchObject({ id: 451, actor: 'retention', nodeId: 'n1', target: 'audit entries up to 450' })
  expect(await memory.checkAudit({ after: 0, limit: 1_000 })).toMatchObject({ brokenAt: null, deleted: { id: 450 } })
  expect(telemetry.valueOf('drover_retention_total', { kind: 'audit' })).toBe(450)
  await retention.stop()
})

test('a node that does not get its turn, or no answer, tries again with the next pass', async () => {
  let calls = 0
  const { clock, telemetry, retention } = await create({
    deleteAudit: async () => {
      calls += 1
      if (calls === 1) throw new StoreUnavailable('away')
      return null
    },
  })
  retention.start()
  await clock.advance(2.5 * HOUR)
  expect(calls).toBe(3)
  expect(telemetry.logs.map(({ level }) => level)).toEqual(['warn'])
  await retention.stop()
})

test('a stop does not wait for a pause to end', async () => {
  const { clock, memory, retention } = await create()
  await clock.advance(31 * DAY)
  retention.start()
  await retention.stop()
  expect((await memory.listAudit({ before: null, limit: 1_000 })).length).toBeGreaterThan(200)
})
