/**
 * 10,000 intents under random mixes of everything that two RPC nodes can say, while each keeps or drops the bytes
 * whatever it says; with bumps, cancels, deadlines, fee spikes, reorganisations and takeovers. In the end no intent is in
 * a state that disagrees with the chain, none was executed twice, and no attempt offered more than it may.
 */
import { expect, test } from 'vitest'
import { type Fees, maxPricePerGas } from '../core/fees/fees.ts'
import { FAST, type Policy } from '../core/lane/policy.ts'
import type { Attempt, Intent, Transaction } from '../core/transaction/transaction.ts'
import { transition } from '../core/transaction/transition.ts'
import { createCheapBytes } from '../testing/engine/cheap-bytes.ts'
import { createDice, type Dice } from '../testing/engine/dice.ts'
import { createLyingEndpoints } from '../testing/engine/lying-endpoints.ts'
import { createTestCluster, type TestCluster, type TestNode } from '../testing/engine/test-cluster.ts'

const GWEI = 10n ** 9n
const CAP = 40n * GWEI
const POLICY: Policy = {
  ...FAST,
  maxInFlight: 40,
  bumpAfterMs: 6_000,
  resubmitIntervalMs: 8_000,
  stuckAfterMs: 3_600_000,
  maxFeePerGasWei: CAP,
}
const BY = { actor: 'ann', reason: 'drill' }
const FIRST = Number(process.env.SEED ?? 1)
const COUNT = Number(process.env.SEEDS ?? 50)
const INTENTS = 200
const MAX_STEPS = 80
const SETTLED = ['CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED']

for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
  test(`seed ${seed}`, async () => {
    const dice = createDice(seed)
    const bytes = createCheapBytes(`0x${'a1'.repeat(20)}`)
    const cluster = await createTestCluster({ policy: POLICY, chainSettings: { staleReceiptTimeoutMs: 4_000 }, bytes })
    const endpoints = createLyingEndpoints(cluster.chain, bytes.decode, dice)
    const ids = await liveThrough(cluster, endpoints.mine, dice)
    endpoints.makeHonest()
    cluster.chain.setBaseFee(GWEI)
    for (let block = 0; block < 200 && (block % 10 > 0 || (await countOpen(cluster, ids)) > 0); block++) {
      await cluster.clock.advance(2_000)
      await endpoints.mine()
      await cluster.clock.advance(20)
    }
    const mined = new Set((await cluster.mined()).map(({ hash }) => hash))
    const all = await Promise.all(ids.map(cluster.find))
    for (const tx of all) expectAgreement(tx, mined)
    expect(all.filter(({ state }) => !SETTLED.includes(state)).map(describe)).toEqual([])
  })
}

/** Everything that can go wrong, until all intents are in and most of them are through. */
async function liveThrough(cluster: TestCluster, mine: () => Promise<void>, dice: Dice): Promise<string[]> {
  const { chain, clock } = cluster
  let node: TestNode = await cluster.startNode('node-1')
  const ids: string[] = []
  for (let step = 0; ids.length < INTENTS || step % 8 > 0 || (await countOpen(cluster, ids)) > INTENTS / 10; step++) {
    if (step > MAX_STEPS) break
    const act = dice(24)
    for (let count = dice(8); count > 0 && ids.length < INTENTS; count--)
      ids.push(await cluster.submit(anyIntent(dice, clock.now())))
    if (act < 3) await operate(cluster, ids[dice(Math.max(1, ids.length))], act === 0)
    if (act === 3) chain.setBaseFee(BigInt(1 + dice(12)) * GWEI)
    if (act === 4) chain.reorg(1 + dice(2), { length: 3, keep: 'dropped' })
    if (act === 5 && dice(3) === 0) {
      node.kill()
      node = await cluster.startNode(`node-${ids.length}`)
    }
    await clock.advance(dice(3_000))
    await mine()
    await clock.advance(20)
  }
  return ids
}

function anyIntent(dice: Dice, now: number): Partial<Intent> {
  const kind = dice(10)
  const fees: Fees = {
    type: 'eip1559',
    maxFeePerGas: BigInt(2 + dice(60)) * GWEI,
    maxPriorityFeePerGas: BigInt(dice(2)) * GWEI,
  }
  return {
    to: `0x${'b2'.repeat(20)}`,
    value: BigInt(dice(1_000)),
    simulate: false,
    gasLimit: 21_000n,
    ...(kind < 3 && { fees }),
    ...(kind === 3 && { gasLimit: 20_000n }),
    ...(kind === 4 && { validUntil: now + 1_000 + dice(20_000) }),
  }
}

async function operate(cluster: TestCluster, id: string | undefined, cancels: boolean): Promise<void> {
  const tx = id === undefined ? null : await cluster.store.findTransaction(id)
  if (tx === null) return
  const type = cancels ? 'operator.cancelled' : 'operator.sped_up'
  const step = transition(tx, { type, at: cluster.clock.now(), by: BY }, POLICY)
  const { version, state, attempts } = tx
  const before = { version, state, attemptCount: attempts.length }
  if (step.tx !== tx) await cluster.store.amend({ before, tx: step.tx, notes: step.notes }, [])
}

async function countOpen(cluster: TestCluster, ids: readonly string[]): Promise<number> {
  const all = await Promise.all(ids.map(cluster.find))
  return all.filter(({ state }) => !SETTLED.includes(state)).length
}

/** What the transaction says of itself, against what the chain has. */
function expectAgreement(tx: Transaction, mined: ReadonlySet<string>): void {
  const onChain = tx.attempts.filter(({ hash }) => mined.has(hash))
  const own = onChain.filter(({ kind }) => kind !== 'cancel')
  expect(own.length, `${describe(tx)} was executed more than once`).toBeLessThan(2)
  const isExecuted = tx.state === 'CONFIRMED' || tx.state === 'FAILED_FINAL'
  expect(own.length, `${describe(tx)} disagrees with the chain`).toBe(isExecuted ? 1 : 0)
  for (const attempt of tx.attempts) {
    expect(maxPricePerGas(attempt.fees), `${describe(tx)} offers too much`).toBeLessThanOrEqual(capOf(tx, attempt))
  }
}

/** The most that these bytes may offer per gas. */
function capOf({ intent }: Transaction, { kind }: Attempt): bigint {
  if (intent.fees === null || kind === 'cancel') return CAP
  const own = maxPricePerGas(intent.fees)
  if (own === null || own > CAP) return CAP
  return own
}

function describe(tx: Transaction): string {
  const kinds = tx.attempts.map(({ kind, nonce }) => `${kind} ${nonce}`).join(', ')
  return `${tx.id} ${tx.state}/${tx.subState}/${tx.error?.code ?? '-'} [${kinds}]`
}
