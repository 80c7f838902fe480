import { describe, expect, test } from 'vitest'
import type { Hash } from '../../core/hex.ts'
import { STABLE } from '../../core/lane/policy.ts'
import { NO_RULES, type RuleSet, signerSubject } from '../../core/rules/rule-set.ts'
import { FILL_PRIORITY } from '../../core/transaction/fill.ts'
import type { Queued } from '../../core/transaction/transaction.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import { allocated } from '../../testing/core/sample-transactions.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import { anyLane, anyNew } from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { Preparation } from '../queue/prepare.ts'
import type { RefusalReport } from './report-refusal.ts'
import { createSpendingRules } from './spending-rules.ts'

const CAPS = { perTransaction: null, perHour: null, perDay: null }
const FEES = { type: 'legacy', gasPrice: 2n } as const

const digestOf = (value: bigint): Hash => `0x${value.toString(16).padStart(64, '0')}`

async function setUp(given: Partial<RuleSet> | null = null, over: (store: Store) => Partial<Store> = () => ({})) {
  const clock = createManualClock()
  const memory = createMemoryStore({ clock })
  const calls: string[] = []
  const store: Store = { ...memory, ...over(memory) }
  const counted = new Proxy(store, {
    get(target, name: keyof Store) {
      calls.push(name)
      return target[name]
    },
  })
  const lane = anyLane()
  const subject = signerSubject(lane.signer)
  await memory.registerSigners([{ lane, policy: STABLE, label: null }])
  if (given !== null) await memory.putRules(subject, { ...NO_RULES, ...given }, 'ann')
  const reports: RefusalReport[] = []
  const telemetry = createRecordingTelemetry()
  const rules = createSpendingRules({ store: counted, clock, telemetry, record: (report) => reports.push(report) })
  // The book is read in the background.
  await new Promise((resolve) => setImmediate(resolve))
  calls.length = 0
  return { clock, store: memory, lane, subject, rules, reports, calls }
}

describe('acceptance', () => {
  test('without rules it is one call of the store, and nothing else', async () => {
    const { rules, lane, calls } = await setUp()
    expect(await rules.insertTransactions([anyNew(lane)])).toMatchObject([{ type: 'inserted' }])
    expect(calls).toEqual(['insertTransactions'])
  })

  test('a batch is judged in order, by two calls', async () => {
    const { rules, lane, calls, reports } = await setUp({ value: { ...CAPS, perDay: 10n } })
    const outcomes = await rules.insertTransactions([6n, 6n, 4n].map((value) => anyNew(lane, { value })))
    expect(outcomes.map(({ type }) => type)).toEqual(['inserted', 'refused_by_rule', 'inserted'])
    // What has ended is looked for before anything is refused.
    expect(calls.filter((name) => name !== 'readEnds')).toEqual(['readSpending', 'insertTransactions'])
    expect(reports).toMatchObject([{ operation: 'acceptTransaction', result: 'refused_by_rule', actor: 'local' }])
  })

  test('a rule that this node has not heard of is applied all the same', async () => {
    const { rules, lane, store, subject } = await setUp(null, () => ({ listAccounts: async () => [] }))
    await store.putRules(subject, { ...NO_RULES, targets: [] }, 'ann')
    expect(await rules.insertTransactions([anyNew(lane)])).toMatchObject([{ type: 'refused_by_rule' }])
  })

  test('another node at the same books: it judges again, and the cap holds', async () => {
    let others = 3
    const { rules, lane, store } = await setUp({ value: { ...CAPS, perDay: 10n } }, (memory) => ({
      // Every look at the books is followed by a rival who takes 3 of them.
      readSpending: async (ask) => {
        const read = await memory.readSpending(ask)
        if (others-- > 0) {
          const charge = {
            txId: `rival ${others}`,
            subject: ask.subjects[0] ?? read.accounts[0]?.subject,
            chainId: lane.chainId,
          }
          const { judgeAll } = await import('../../core/rules/judge.ts')
          const wanted = { chainId: charge.chainId, to: lane.signer, data: '0x' as const, value: 3n, feeWei: 0n }
          const { write } = judgeAll(read, [{ txId: charge.txId, subjects: ask.subjects, wanted }])
          await memory.writeSpending(write)
        }
        return read
      },
    }))
    expect(await rules.insertTransactions([anyNew(lane, { value: 2n })])).toMatchObject([{ type: 'refused_by_rule' }])
    const { accounts } = await store.readSpending({ subjects: [signerSubject(lane.signer)], txIds: [] })
    const spent = Object.values(accounts[0]?.ledger[`${lane.chainId}/value`]?.day ?? {})
    expect(spent.reduce((sum, amount) => sum + amount, 0n)).toBe(9n)
  })

  test('sent again after a lost answer, it is found and counted once', async () => {
    const { rules, lane, store, subject } = await setUp({ value: { ...CAPS, perDay: 10n } })
    const entry = anyNew(lane, { value: 6n })
    await rules.insertTransactions([entry])
    expect(await rules.insertTransactions([entry])).toMatchObject([{ type: 'existing', transaction: { id: entry.id } }])
    const { accounts } = await store.readSpending({ subjects: [subject], txIds: [] })
    const spent = Object.values(accounts[0]?.ledger[`${lane.chainId}/value`]?.day ?? {})
    expect(spent.reduce((sum, amount) => sum + amount, 0n)).toBe(6n)
  })

  test('a repeat that nobody looked for first is not charged: neither beside the first one, nor later, nor another body', async () => {
    const { rules, lane, store, subject } = await setUp({ value: { ...CAPS, perDay: 100n } })
    const spent = async () => {
      const { accounts, charges } = await store.readSpending({ subjects: [subject], txIds: ids })
      const days = Object.values(accounts[0]?.ledger[`${lane.chainId}/value`]?.day ?? {})
      return [days.reduce((sum, amount) => sum + amount, 0n), charges.length]
    }
    const make = (value: bigint) => anyNew(lane, { value, requestId: 'order-1', requestDigest: digestOf(value) })
    const entries = [make(6n), make(6n), make(6n), make(7n)]
    const ids = entries.map(({ id }) => id)
    const [first, twin, later, other] = entries.map((entry) => [entry])
    const both = await Promise.all([rules.insertTransactions(first ?? []), rules.insertTransactions(twin ?? [])])
    expect(
      both
        .flat()
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['existing', 'inserted'])
    expect(await spent()).toEqual([6n, 1])
    expect(await rules.insertTransactions(later ?? [])).toMatchObject([{ type: 'existing' }])
    expect(await rules.insertTransactions(other ?? [])).toMatchObject([{ type: 'conflict' }])
    expect(await spent()).toEqual([6n, 1])
  })

  test('a charge that cannot be taken back does not cost the answer', async () => {
    const { rules, lane } = await setUp({ value: { ...CAPS, perDay: 100n } }, () => ({
      writeSpending: async () => {
        throw new StoreUnavailable('away')
      },
    }))
    const make = () => [anyNew(lane, { requestId: 'order-1', requestDigest: digestOf(1n) })]
    expect(await rules.insertTransactions(make())).toMatchObject([{ type: 'inserted' }])
    expect(await rules.insertTransactions(make())).toMatchObject([{ type: 'existing' }])
  })

  test('what has ended makes room before anything is refused', async () => {
    const { rules, lane, store } = await setUp({ value: { ...CAPS, perDay: 10n } })
    const [first] = await rules.insertTransactions([anyNew(lane, { value: 6n })])
    if (first?.type !== 'inserted') throw new Error('expected an insert')
    const { retryAt: _, prepareFailures: __, ...base } = first.transaction
    const ended = { ...base, state: 'CANCELLED', subState: 'cancelled', nonce: null, finalAt: base.createdAt } as const
    const before = { version: base.version, state: 'QUEUED', attemptCount: 0 } as const
    await store.amend({ before, tx: ended, notes: [] }, [])
    expect(await rules.insertTransactions([anyNew(lane, { value: 6n })])).toMatchObject([{ type: 'inserted' }])
  })
})

describe('before signing', () => {
  const ready = (tx: Queued): Preparation => ({ type: 'ready', tx, gasLimit: 10n, fees: FEES })

  async function queue(given: Partial<RuleSet>, value = 1n) {
    const bench = await setUp({})
    await bench.rules.insertTransactions([anyNew(bench.lane, { value })])
    await bench.store.putRules(bench.subject, { ...NO_RULES, ...given }, 'ann')
    const [tx] = await bench.store.readQueue(bench.lane, 1)
    if (tx === undefined) throw new Error('nothing is queued')
    bench.calls.length = 0
    return { ...bench, tx }
  }

  test('what no rule binds costs nothing', async () => {
    const { rules, calls, tx } = await queue({})
    const { hasRules: _, ...free } = tx
    expect(await rules.signing.review([ready(free)])).toEqual([ready(free)])
    expect(calls).toEqual([])
  })

  test('a target that is no longer allowed holds it, and that is reported once', async () => {
    const { rules, reports, tx } = await queue({ targets: [] })
    const [held] = await rules.signing.review([ready(tx)])
    expect(held).toMatchObject({ type: 'held', error: { code: 'held_by_rule', reason: 'targets' } })
    expect(reports).toMatchObject([{ operation: 'signTransaction', result: 'refused_by_rule' }])
    const again = {
      ...tx,
      subState: 'held_by_rule',
      error: { code: 'held_by_rule', message: '', reason: 'targets' },
    } as const
    await rules.signing.review([ready(again)])
    expect(reports).toHaveLength(1)
  })

  test('the fee that is to be signed counts: 10 gas at 2', async () => {
    const { rules, tx } = await queue({ gas: { ...CAPS, perDay: 19n } })
    expect(await rules.signing.review([ready(tx)])).toMatchObject([{ type: 'held', error: { reason: 'gas.perDay' } }])
    const other = await queue({ gas: { ...CAPS, perDay: 20n } })
    expect(await other.rules.signing.review([ready(other.tx)])).toMatchObject([{ type: 'ready' }])
  })

  test('an empty transaction that fills a gap is signed even where nothing is left', async () => {
    const { rules, tx } = await queue({ gas: { ...CAPS, perDay: 0n }, targets: [] })
    const fill = { ...tx, intent: { ...tx.intent, priority: FILL_PRIORITY } }
    expect(await rules.signing.review([ready(fill)])).toMatchObject([{ type: 'ready' }])
  })

  test('an approval that is asked for later is waited for, and those that were given count', async () => {
    const { rules, tx } = await queue({ approval: { above: 0n, of: 1, keys: ['ann'], expiresInMs: 60_000 } })
    const [waiting] = await rules.signing.review([ready(tx)])
    expect(waiting).toMatchObject({ type: 'unapproved', approval: { needs: [{ of: 1, keys: ['ann'] }], votes: [] } })
    const votes = [{ keyId: '1', name: 'ann', at: 0, reason: 'checked' }]
    const approved = { ...tx, approval: { needs: [], votes, expiresAt: 0 } }
    expect(await rules.signing.review([ready(approved)])).toMatchObject([{ type: 'ready' }])
  })

  test('a higher price needs room for the higher fee', async () => {
    const { rules, lane, tx } = await queue({ gas: { ...CAPS, perDay: 30n } })
    const sent = { ...allocated({ id: tx.id }), intent: { ...tx.intent, lane } }
    const offer = (gasPrice: bigint) => ({ gasLimit: 10n, fees: { type: 'legacy', gasPrice } as const })
    expect(await rules.signing.reviewBump(sent, offer(3n))).toBeNull()
    expect(await rules.signing.reviewBump(sent, offer(4n))).toMatchObject({
      code: 'bump_held_by_rule',
      reason: 'gas.perDay',
    })
  })

  test('a rule that this node has not heard of holds a higher price within seconds', async () => {
    const { rules, lane, store, subject, clock, calls } = await setUp(null, () => ({ listen: () => () => {} }))
    const entry = anyNew(lane)
    await rules.insertTransactions([entry])
    await store.putRules(subject, { ...NO_RULES, gas: { ...CAPS, perDay: 1n } }, 'ann')
    const sent = { ...allocated({ id: entry.id }), intent: entry.intent }
    const offer = { gasLimit: 10n, fees: FEES }
    await clock.advance(5_000)
    calls.length = 0
    expect(await rules.signing.reviewBump(sent, offer)).toMatchObject({ reason: 'gas.perDay' })
    // Asked for once, however many are to be signed again.
    for (let count = 0; count < 3; count++) await rules.signing.reviewBump(sent, offer)
    expect(calls.filter((name) => name === 'listAccounts')).toHaveLength(1)
  })
})

test('a fire that rules refuse is left out, one that needs approval waits for it', async () => {
  const approval = { above: 5n, of: 1, keys: ['ann'], expiresInMs: 60_000 }
  const { rules, lane } = await setUp({ value: { ...CAPS, perTransaction: 10n }, approval })
  const fires = [1n, 11n, 6n].map((value) => anyNew(lane, { value }))
  const [small, large, middle] = await rules.judgeFires(fires)
  expect(small).toMatchObject({ judgedBy: [signerSubject(lane.signer)] })
  expect(large).toBeNull()
  expect(middle).toMatchObject({ approval: { needs: [{ keys: ['ann'] }] } })
})
