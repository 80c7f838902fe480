import { expect, test } from 'vitest'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import { anyBlock, anyFire, anyHash, anySpec, startTimer } from '../../testing/store/sample-timers.ts'
import { anyLane, registerLane } from '../../testing/store/samples.ts'
import { createMemoryTimerStore } from '../../testing/store/timers/memory-timer-store.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createIncarnationCache } from './incarnation-cache.ts'
import { createHandOffs } from './prepare-hand-offs.ts'

test('a fire whose timer is not in the store is not handed off, and the log names it [G7]', async () => {
  const clock = { now: () => Date.UTC(2030, 0) }
  const transactions = createMemoryStore({ clock })
  const store = createMemoryTimerStore({ clock, transactions })
  const lane = await registerLane(transactions, anyLane())
  const [lease] = await store.keepTimerLeases('node-a', [lane.chainId], 10_000)
  if (lease === undefined) throw new Error('not leased')
  const timer = await startTimer(store, lease, anySpec(lane))
  const telemetry = createRecordingTelemetry()
  const prepare = createHandOffs({
    chainId: lane.chainId,
    clock,
    random: { id: () => '01890a5d-0000-7000-8000-000000000001' },
    telemetry,
    findIncarnations: createIncarnationCache(store),
  })
  const known = anyFire(timer, anyBlock(11))
  const unknown = anyFire({ ...timer, kernelId: anyHash() }, anyBlock(11))
  const { ready, handOffs } = await prepare([unknown, known])
  expect([ready, handOffs.length]).toEqual([[known], 1])
  expect(telemetry.logs).toMatchObject([{ level: 'error', fields: { deliverId: unknown.deliverId } }])
})
