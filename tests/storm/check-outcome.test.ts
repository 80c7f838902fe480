/** The checker of the storm finds each kind of violation, planted one at a time. */
import { expect, test } from 'vitest'
import { checkOutcome, type Violations } from './check-outcome.ts'
import { judgeAlarms } from './judge-alarms.ts'
import { planStorm } from './plan-faults.ts'
import type { MinedTx, Outcome, StoredEvent, StoredTx } from './read-outcome.ts'
import { createStormLog, type StormLog } from './storm-log.ts'

const LANE = { chainId: 1, signer: '0xaa' }
const markerOf = (index: number) => `0xd0${index.toString(16).padStart(16, '0')}`

/** Three intents, all fine. */
function setUp() {
  const log = createStormLog()
  const transactions: StoredTx[] = []
  const mined: MinedTx[] = []
  const events: StoredEvent[] = []
  for (let index = 0; index < 3; index++) {
    const [marker, hash, id] = [markerOf(index), `0x${index}`, `tx-${index}`]
    log.asked.set(marker, { marker, path: 'http', lane: LANE, accepted: true, cancelled: false })
    transactions.push({ id, marker, ...LANE, state: 'CONFIRMED', nonce: index, isFill: false, hashes: [hash] })
    mined.push({ hash, ...LANE, nonce: index, marker, blockNumber: index })
    const eventId = index + 1
    events.push({ eventId, txId: id, ...LANE, type: 'finality.reached', toState: 'CONFIRMED', at: 0, detail: {} })
    log.stream.push({ eventId, txId: id, type: 'finality.reached' })
    log.webhooks.push({ eventId, txId: id, type: 'finality.reached', messageId: `m-${eventId}` })
  }
  const lanes = [{ ...LANE, cursor: 3, free: [] as number[], latest: 3, pending: 3 }]
  return { log, outcome: { transactions, mined, events, lanes } }
}

type Scene = ReturnType<typeof setUp>

function kindsOf(violations: Violations): readonly string[] {
  return Object.entries(violations).flatMap(([kind, found]) => (found.length > 0 ? [kind] : []))
}

test('if all guarantees held, nothing is found', () => {
  const { log, outcome } = setUp()
  expect(kindsOf(checkOutcome(log, outcome))).toEqual([])
})

test.each<[string, (scene: Scene) => void, readonly string[]]>([
  ['accepted, and not stored', ({ outcome }) => outcome.transactions.pop(), ['lost', 'foreign']],
  ['confirmed, and on no chain', ({ outcome }) => outcome.mined.pop(), ['lost', 'wrongStates']],
  ['mined twice', ({ outcome }) => outcome.mined.push({ ...mined(outcome), hash: '0x0' }), ['doubled']],
  ['stored twice', ({ outcome }) => outcome.transactions.push({ ...stored(outcome), id: 'twin' }), ['doubled']],
  ['cancelled, and mined', ({ outcome, log }) => cancel(outcome, log), ['doubled']],
  ['cancelled by nobody', ({ outcome }) => change(outcome, { state: 'CANCELLED' }), ['doubled', 'wrongStates']],
  ['not ended', ({ outcome }) => change(outcome, { state: 'STUCK' }), ['wrongStates']],
  ['reverted', ({ outcome }) => change(outcome, { state: 'FAILED_FINAL' }), ['wrongStates']],
  ['a nonce that was taken and never used', ({ outcome }) => lane(outcome, { cursor: 4 }), ['gaps']],
  ['bytes that wait in the pool', ({ outcome }) => lane(outcome, { pending: 4 }), ['gaps']],
  ['another nonce than is stored', ({ outcome }) => change(outcome, { nonce: 9 }), ['gaps']],
  [
    'bytes that nobody stored',
    ({ outcome }) => outcome.mined.push({ ...mined(outcome), hash: '0xf', marker: '0x' }),
    ['foreign'],
  ],
  ['an event that the stream left out', ({ log }) => log.stream.splice(1, 1), ['missedEvents']],
  ['events out of order', ({ log }) => log.stream.reverse(), ['missedEvents']],
  ['an event that the webhook never got', ({ log }) => log.webhooks.pop(), ['missedEvents']],
  ['a refusal that nothing explains', ({ log }) => log.refused.push('400'), ['refused']],
  ['a holder whose bytes are gone', ({ log }) => log.own.push({ chainId: 1, raw: '0x', hash: '0xee' }), ['lost']],
])('%s', (_, plant, kinds) => {
  const scene = setUp()
  plant(scene)
  expect(kindsOf(checkOutcome(scene.log, scene.outcome))).toEqual(kinds)
})

test('a nonce that is free for the next transaction is no gap', () => {
  const { log, outcome } = setUp()
  lane(outcome, { cursor: 4, free: [3] })
  expect(kindsOf(checkOutcome(log, outcome))).toEqual([])
})

test.each([
  ['stuck.declared', [], false],
  ['finality.broken', [], false],
  ['chain.standing', [], false],
  ['chain.unreachable', [], false],
  ['chain.unreachable', [{ kind: 'rpc_down', startedAt: 900, endedAt: 2_000, probeMinedAt: null }], true],
  ['chain.unreachable', [{ kind: 'kill', startedAt: 900, endedAt: 2_000, probeMinedAt: null }], false],
] as const)('alarm %s after %j is true: %s', (type, faults, isTrue) => {
  const { outcome } = setUp()
  const event = { eventId: 9, txId: null, ...LANE, type, toState: null, at: 1_000, detail: {} }
  const around = { startedAt: 0, weather: [], faults, endpointsOf: new Map([[1, [0]]]), reserved: [] }
  const report = judgeAlarms({ ...outcome, events: [event] }, around)
  expect(report.false).toHaveLength(isTrue ? 0 : 1)
})

test('a seed decides the plan, and two minutes are enough for every kind of fault', () => {
  const options = { minutes: 2, nodes: 3, endpoints: 4, maxDepth: 3, without: [] }
  expect(planStorm({ ...options, seed: 7 })).toEqual(planStorm({ ...options, seed: 7 }))
  expect(planStorm({ ...options, seed: 7 })).not.toEqual(planStorm({ ...options, seed: 8 }))
  for (let seed = 0; seed < 50; seed++)
    expect(new Set(planStorm({ ...options, seed }).faults.map(({ kind }) => kind)).size).toBe(10)
})

function mined(outcome: Scene['outcome']): MinedTx {
  return outcome.mined[0] as MinedTx
}

function stored(outcome: Scene['outcome']): StoredTx {
  return outcome.transactions[0] as StoredTx
}

function change(outcome: Scene['outcome'], over: Partial<StoredTx>): void {
  outcome.transactions[0] = { ...stored(outcome), ...over }
}

function cancel(outcome: Scene['outcome'], log: StormLog): void {
  change(outcome, { state: 'CANCELLED' })
  const asked = log.asked.get(markerOf(0))
  if (asked !== undefined) asked.cancelled = true
}

function lane(outcome: Outcome, over: object): void {
  Object.assign(outcome.lanes[0] as object, over)
}
