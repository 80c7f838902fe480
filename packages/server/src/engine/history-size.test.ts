/**
 * A transaction that waits for long leaves a handful of entries in its history, whatever it waits for, and they still read
 * as a walk through the states.
 */
import { describe, expect, test } from 'vitest'
import { STABLE } from '../core/lane/policy.ts'
import type { TxId } from '../core/transaction/transaction.ts'
import type { FakeFault, FakeOperation } from '../testing/chain/fake-chain.ts'
import { createTestCluster, QUICK, type TestCluster, type TestClusterOptions } from '../testing/engine/test-cluster.ts'

const MINUTES = 180
const TIMES = { resubmitIntervalMs: 15_000, stuckAfterMs: 120_000 }
/** Sent four times a minute, and each time answered. */
const RESENDS = (MINUTES - 5) * 4
const HANDFUL = 16

async function setUp(policy: TestClusterOptions['policy'] = { ...STABLE, ...TIMES }): Promise<TestCluster> {
  const cluster = await createTestCluster({
    policy,
    chainSettings: { pollIntervalMs: 30_000, blockTimeMs: 60_000 },
  })
  await cluster.startNode()
  return cluster
}

async function submit(cluster: TestCluster): Promise<TxId> {
  const id = await cluster.submit()
  await cluster.clock.advance(100)
  return id
}

/** Blocks that leave it out, one a minute. */
async function waitHours(
  { chain, clock }: TestCluster,
  eachMinute: (minute: number) => void = () => {},
): Promise<void> {
  for (let minute = 0; minute < MINUTES; minute++) {
    eachMinute(minute)
    chain.mine(() => false)
    await clock.advance(60_000)
  }
}

async function readHistory({ store }: TestCluster, id: TxId) {
  const entries = await store.readHistory(id)
  const countOf = (wanted: string) =>
    entries.filter(({ type }) => type === wanted).reduce((sum, { count }) => sum + count, 0)
  return { entries, countOf }
}

/** Each entry begins in the state that the one before it left. */
function expectWalk(entries: readonly { readonly fromState: unknown; readonly toState: unknown }[]): void {
  const before = [null, ...entries.slice(0, -1).map(({ toState }) => toState)]
  expect(entries.map(({ fromState }) => fromState)).toEqual(before)
}

/** Answers of the node, one after the other, over and over. */
function answerInTurns({ chain }: TestCluster, faults: readonly (FakeFault | null)[]): void {
  let sends = 0
  chain.setFault(({ name }: FakeOperation) => (name === 'broadcast' ? (faults[sends++ % faults.length] ?? null) : null))
}

describe('hours of waiting', () => {
  test('for a block: sent hundreds of times, one entry per cause', async () => {
    const cluster = await setUp()
    const id = await submit(cluster)
    await waitHours(cluster)
    const { entries, countOf } = await readHistory(cluster, id)
    expect(entries.slice(-3).map(({ type, cause, toState }) => [type, cause, toState])).toEqual([
      ['stuck.declared', 'no_inclusion', 'STUCK'],
      ['resubmit.claimed', null, 'STUCK'],
      ['broadcast.answered', 'already_known', 'STUCK'],
    ])
    expect(countOf('resubmit.claimed')).toBeGreaterThan(RESENDS)
    expect(countOf('broadcast.answered')).toBeGreaterThan(RESENDS)
    expect(entries.length).toBeLessThan(HANDFUL)
    expectWalk(entries)
  })

  test('with a node that answers one way, then another', async () => {
    const cluster = await setUp()
    answerInTurns(cluster, [null, 'answer_lost', 'rate_limited', 'unavailable'])
    const id = await submit(cluster)
    await waitHours(cluster, (minute) => {
      if (minute % 10 === 0) cluster.chain.dropPool()
    })
    const { entries, countOf } = await readHistory(cluster, id)
    expect(countOf('broadcast.answered')).toBeGreaterThan(RESENDS)
    expect(entries.length).toBeLessThan(HANDFUL)
    expectWalk(entries)
  })

  test('at a fee that is above the cap', async () => {
    const cluster = await setUp({ ...QUICK, ...TIMES, maxFeePerGasWei: 5n * 10n ** 9n })
    const id = await submit(cluster)
    cluster.chain.setBaseFee(20n * 10n ** 9n)
    await waitHours(cluster)
    const { entries, countOf } = await readHistory(cluster, id)
    expect(countOf('fee.capped')).toBe(1)
    expect(entries.length).toBeLessThan(HANDFUL)
    expectWalk(entries)
  })

  test('for funds, with a chain that is down now and then', async () => {
    const cluster = await setUp()
    cluster.chain.setBalance(cluster.lane.signer, 0n)
    const id = await submit(cluster)
    await waitHours(cluster, (minute) => {
      const isAway = minute % 2 === 0
      cluster.chain.setFault(({ name }) => (isAway && name === 'estimate' ? 'unavailable' : null))
    })
    const { entries, countOf } = await readHistory(cluster, id)
    expect(countOf('prepare.deferred')).toBeGreaterThan(MINUTES / 2)
    expect(entries.map(({ type, cause }) => [type, cause])).toEqual([
      ['accepted', null],
      ['prepare.deferred', 'insufficient_funds'],
      ['prepare.deferred', 'chain_unavailable'],
    ])
    expectWalk(entries)
  })

  test('behind another that waits', async () => {
    const cluster = await setUp({ ...QUICK, ...TIMES, mayReplace: 'never' })
    await submit(cluster)
    const behind = await submit(cluster)
    await waitHours(cluster)
    const { entries } = await readHistory(cluster, behind)
    expect(entries.filter(({ type }) => type === 'inclusion.blocked')).toHaveLength(1)
    expect(entries.length).toBeLessThan(HANDFUL)
    expectWalk(entries)
  })
})
