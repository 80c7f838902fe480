import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../../../tests/setup/database.ts'
import { anyBlock, anyFire, anySpec, handOffOf, startTimer, writeBlock } from '../../../testing/store/sample-timers.ts'
import { acquire, anyAddress, registerLane, write } from '../../../testing/store/samples.ts'
import { createSilentTelemetry } from '../../../testing/telemetry/recording-telemetry.ts'
import { createPostgresStore } from '../postgres-store.ts'
import { createPostgresTimerStore } from './postgres-timer-store.ts'

const OUT_OF_FUNDS = { code: 'out_of_funds', since: 1, txId: null, nonce: null, count: null, detail: null } as const

test('each run of fires that are skipped for low funds is one event', async () => {
  const database = await createTestDatabase()
  const options = { databaseUrl: database.url, telemetry: createSilentTelemetry() }
  const [store, timers] = [createPostgresStore(options), createPostgresTimerStore(options)]
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    const lane = await registerLane(store, { chainId: 7_001, signer: anyAddress() })
    const [lease] = await timers.keepTimerLeases('node-a', [lane.chainId], 60_000)
    if (lease === undefined) throw new Error('not leased')
    const spec = anySpec(lane, { onLowFunds: 'skip', overlap: 'skip' })
    const timer = await startTimer(timers, lease, spec, { tenant: 'shop' })
    const own = await acquire(store, lane)
    const fireAt = async (height: number) => {
      const block = anyBlock(height)
      const fire = anyFire(timer, block, { fireSeq: height })
      await writeBlock(timers, lease, block, { fires: [fire], handOffs: [await handOffOf(timers, fire)] })
      await timers.meterFires(lease, null, 10)
      return fire.deliverId
    }
    await write(store, own, [], { problems: [OUT_OF_FUNDS] })
    const first = await fireAt(11)
    await fireAt(12)
    await write(store, own, [], { problems: [] })
    await fireAt(13)
    await write(store, own, [], { problems: [OUT_OF_FUNDS] })
    const second = await fireAt(14)
    await fireAt(15)
    const { rows } = await client.query(
      `select cause, detail from tx_event where type = 'timer.skipped' and tx_id is null order by event_id`,
    )
    const told = (fireId: string) => ({
      cause: 'low_funds',
      detail: { timerId: timer.id, fireId, tenant: 'shop' },
    })
    expect(rows).toEqual([told(first), told(second)])
    const states = await timers.listFires(timer.id, { before: null, limit: 10 })
    expect(states.map(({ skipReason }) => skipReason)).toEqual([
      ...['low_funds', 'low_funds', null, 'low_funds', 'low_funds'],
    ])
  } finally {
    await client.end()
    await timers.close()
    await store.close()
    await database.drop()
  }
})
