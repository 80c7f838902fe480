/** Acceptance at a fixed rate: in peace, during retention, and by the node that takes over. */
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../tests/setup/eventually.ts'
import { percentiles } from '../floods/percentiles.ts'
import type { BenchNode } from '../flow/stack.ts'
import { type Call, type RetentionStand, SENDER } from './retention-stand.ts'

const EVERY_MS = 10
const REQUESTS = 1_500
const WARM_UP = 200

type Figures = Readonly<Record<string, string>>

const BODY = { from: SENDER.address, to: SENDER.address, value: '1', simulate: false }

/** 100 a second, whether or not earlier ones were answered. */
export async function measureAccept(call: Call, requests = REQUESTS): Promise<string> {
  const took: number[] = []
  const startedAt = performance.now()
  const answers: Promise<unknown>[] = []
  for (let count = 0; count < requests; count++) {
    await pause(Math.max(0, startedAt + count * EVERY_MS - performance.now()))
    const sentAt = performance.now()
    answers.push(call('POST', '/v1/transactions', BODY).then(() => took.push(performance.now() - sentAt)))
  }
  await Promise.all(answers)
  const { p50, p99 } = percentiles(took)
  return `${p50.toFixed(1)} / ${p99.toFixed(1)}`
}

export async function warmUp(call: Call): Promise<void> {
  await measureAccept(call, WARM_UP)
}

/** Until everything accepted so far is final. */
export async function settle({ client }: RetentionStand): Promise<void> {
  const open =
    'select from managed_tx where queue_position is not null or (nonce is not null and final_at is null) limit 1'
  await eventually(
    async () => (await client.query(open)).rowCount,
    (left) => left === 0,
  )
}

/** From kill -9 of the owner until a transaction that the other node accepts then is mined. Leases last 15 s. */
export async function measureTakeover(stand: RetentionStand, owner: BenchNode): Promise<Figures> {
  const startedAt = performance.now()
  const heir = await stand.start()
  const readyMs = performance.now() - startedAt
  await stand.client.query('update signer_lease set wanted_by = null')
  const killedAt = performance.now()
  await owner.end('SIGKILL')
  const call = stand.callOf(heir)
  await call('POST', '/v1/transactions?wait=mined&timeoutMs=60000', BODY)
  const minedMs = performance.now() - killedAt
  await settle(stand)
  await heir.end('SIGTERM')
  return {
    'start of a node until it is ready, s': (readyMs / 1_000).toFixed(1),
    'kill -9 of the owner until the other node has mined the next, s': (minedMs / 1_000).toFixed(1),
  }
}

/** As in production: the node's own passes, with their pauses. First those that retire, then those that delete. */
export async function measureRetention(stand: RetentionStand): Promise<Figures> {
  const { client } = stand
  const count = async (sql: string) => Number((await client.query(`select count(*) from ${sql}`)).rows[0].count)
  const env = { DROVER_TRANSACTION_RETENTION: '30d' }
  const retiring = await stand.start(env)
  await warmUp(stand.callOf(retiring))
  const before = await count('retired_tx')
  const duringRetire = await measureAccept(stand.callOf(retiring))
  const retired = (await count('retired_tx')) - before
  await settle(stand)
  await retiring.end('SIGTERM')
  // The next pass deletes what was retired long enough ago, before it does anything else.
  await client.query(`update retired_tx set retired_at = retired_at - interval '5 minutes'`)
  const deleting = await stand.start(env)
  await warmUp(stand.callOf(deleting))
  const deletedBefore = await count('retired_tx where deleted_at is not null')
  const duringDelete = await measureAccept(stand.callOf(deleting))
  const deleted = (await count('retired_tx where deleted_at is not null')) - deletedBefore
  await settle(stand)
  await deleting.end('SIGTERM')
  return {
    'accept while retention retires, p50 / p99 ms': `${duringRetire} (${retired} retired meanwhile)`,
    'accept while retention deletes, p50 / p99 ms': `${duringDelete} (${deleted} deleted meanwhile)`,
  }
}
