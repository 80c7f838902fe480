import { expect, test } from 'vitest'
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import type { Hash } from '../../core/hex.ts'
import type { Chain } from '../../ports/chain.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { anyHash } from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { type Broadcast, createBroadcaster } from './broadcaster.ts'

type Send = (hashes: readonly Hash[]) => Promise<readonly SendOutcome[]>

function setUp(send: Send = async (hashes) => hashes.map(() => ({ type: 'accepted' }))) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const batches: (readonly Hash[])[] = []
  const chain = {
    broadcast: (raws) => {
      batches.push(raws.map(({ hash }) => hash))
      return send(raws.map(({ hash }) => hash))
    },
  } as Chain
  return { clock, telemetry, batches, broadcaster: createBroadcaster({ chain, clock, telemetry }) }
}

function broadcastOf(count: number, maySend = () => true): Broadcast {
  return { attempts: Array.from({ length: count }, () => ({ raw: '0x02', hash: anyHash() })), maySend }
}

const hashesOf = (broadcast: Broadcast) => broadcast.attempts.map(({ hash }) => hash)

test('what lanes send within moments leaves as one batch, each lane in order, and each gets its own answers', async () => {
  const nonceTooLow = { type: 'nonce_too_low', message: 'nonce too low' } as const
  const { clock, batches, broadcaster } = setUp(async (hashes) =>
    hashes.map((_, index) => (index === 2 ? nonceTooLow : { type: 'accepted' })),
  )
  const [a, b] = [broadcastOf(2), broadcastOf(2)]
  const answers = [broadcaster.send(a), broadcaster.send(b)]
  await clock.advance(2)
  expect(batches).toEqual([[...hashesOf(a), ...hashesOf(b)]])
  expect(await Promise.all(answers)).toEqual([
    { type: 'sent', outcomes: [{ type: 'accepted' }, { type: 'accepted' }] },
    { type: 'sent', outcomes: [nonceTooLow, { type: 'accepted' }] },
  ])
})

test('the right to send is asked for at the moment of sending, for each lane by itself', async () => {
  const { clock, batches, broadcaster, telemetry } = setUp()
  let mine = true
  const lost = broadcastOf(1, () => mine)
  const kept = broadcastOf(1)
  const answers = [broadcaster.send(lost), broadcaster.send(kept)]
  mine = false
  await clock.advance(2)
  expect(batches).toEqual([hashesOf(kept)])
  expect(await answers[0]).toEqual({ type: 'withheld' })
  expect(await answers[1]).toMatchObject({ type: 'sent' })
  expect(telemetry.valueOf('drover_fence_refusals_total', { operation: 'broadcast' })).toBe(1)
})

test('a node that does not answer holds up nothing that is sent after it', async () => {
  let calls = 0
  const { clock, broadcaster } = setUp((hashes) =>
    calls++ === 0 ? new Promise(() => {}) : Promise.resolve(hashes.map(() => ({ type: 'accepted' }))),
  )
  void broadcaster.send(broadcastOf(1))
  await clock.advance(2)
  const second = broadcaster.send(broadcastOf(1))
  await clock.advance(2)
  expect(await second).toMatchObject({ type: 'sent' })
})

test('a batch stays near its limit; no lane is split over two that could overtake each other', async () => {
  const { clock, batches, broadcaster } = setUp()
  const lanes = [broadcastOf(60), broadcastOf(60), broadcastOf(250)]
  const answers = lanes.map((lane) => broadcaster.send(lane))
  await clock.advance(2)
  expect(batches).toEqual(lanes.map(hashesOf))
  expect((await Promise.all(answers)).map((answer) => answer.type)).toEqual(['sent', 'sent', 'sent'])
})

test('an adapter that throws although it must not may have sent the bytes', async () => {
  const { clock, broadcaster, telemetry } = setUp(async () => {
    throw new Error('unexpected token')
  })
  const answer = broadcaster.send(broadcastOf(2))
  await clock.advance(2)
  expect(await answer).toMatchObject({ type: 'sent', outcomes: [{ type: 'ambiguous' }, { type: 'ambiguous' }] })
  expect(telemetry.logs).toMatchObject([{ level: 'error' }])
})
