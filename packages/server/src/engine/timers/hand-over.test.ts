import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { NO_RULES, signerSubject } from '../../core/rules/rule-set.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import { createMemoryTimerStore } from '../../testing/store/memory-timer-store.ts'
import { anyBlock, anyFire, anyHash, anySpec, startTimer, writeBlock } from '../../testing/store/sample-timers.ts'
import { anyLane, registerLane } from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createSpendingRules } from '../rules/spending-rules.ts'
import { createHandOver } from './hand-over.ts'
import { createIncarnationCache } from './incarnation-cache.ts'

async function open() {
  const clock = createManualClock()
  const transactions = createMemoryStore({ clock })
  const store = createMemoryTimerStore({ clock, transactions })
  const lane = await registerLane(transactions, anyLane())
  const [lease] = await store.keepTimerLeases('node-a', [lane.chainId], 10_000)
  if (lease === undefined) throw new Error('not leased')
  const timer = await startTimer(store, lease, anySpec(lane))
  const telemetry = createRecordingTelemetry()
  /** No notice reaches this node: it does not learn of rules that are set later. */
  const deaf = { ...transactions, listen: () => () => {} }
  const rules = createSpendingRules({ store: deaf, clock, telemetry, record: () => {} })
  await rules.book.reload()
  const handOver = createHandOver({
    chainId: lane.chainId,
    clock,
    random: { id: () => randomUUID() },
    telemetry,
    judgeFires: rules.judgeFires,
    findIncarnations: createIncarnationCache(store),
  })
  const block = anyBlock(11)
  const fire = anyFire(timer, block)
  const write = (fires: readonly (typeof fire)[]) =>
    handOver(fires, (handOffs) => writeBlock(store, lease, block, { fires: [...fires], handOffs }))
  return { transactions, store, lane, telemetry, rules, fire, timer, write, handOver }
}

test('a fire whose timer is not in the store is not handed off, and the log names it [G7]', async () => {
  const { timer, fire, telemetry, handOver } = await open()
  const unknown = anyFire({ ...timer, kernelId: anyHash() }, anyBlock(11))
  let count = 0
  const { ready } = await handOver([unknown, fire], async ({ length }) => {
    count = length
    return { type: 'written' }
  })
  expect([ready, count]).toEqual([[fire], 1])
  expect(telemetry.logs).toMatchObject([{ level: 'error', fields: { deliverId: unknown.deliverId } }])
})

test('rules that this node has not heard of refuse a fire, and allow one: it is judged, and neither lost nor sent unjudged', async () => {
  for (const [targets, reason] of [
    [[], 'refused_by_rule'],
    [null, null],
  ] as const) {
    const { transactions, lane, fire, write, store } = await open()
    const subject = signerSubject(lane.signer)
    await transactions.putRules(subject, { ...NO_RULES, targets }, 'tests')
    expect((await write([fire])).result).toEqual({ type: 'written' })
    const [found] = await store.listFires(fire.timerId, { before: null, limit: 10 })
    expect(found).toMatchObject({ state: reason === null ? 'QUEUED' : 'SKIPPED', skipReason: reason })
    const { charges } = await transactions.readSpending({ subjects: [subject], txIds: [found?.txId ?? randomUUID()] })
    expect(charges).toHaveLength(reason === null ? 1 : 0)
  }
})

test('a fire that is judged again because the write failed replaces its own charge', async () => {
  const { transactions, lane, fire, handOver, rules } = await open()
  const subject = signerSubject(lane.signer)
  await transactions.putRules(subject, { ...NO_RULES, count: { perHour: 1n, perDay: null } }, 'tests')
  await rules.book.reload()
  const seen: (boolean | undefined)[] = []
  for (let attempt = 0; attempt < 3; attempt++)
    await handOver([fire], async ([handOff]) => {
      seen.push(handOff?.isRefused)
      return { type: 'stale' }
    })
  expect(seen).toEqual([undefined, undefined, undefined])
})
