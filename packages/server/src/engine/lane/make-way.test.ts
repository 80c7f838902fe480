/** What every node refuses makes way for an empty transaction, and those behind it go on. */
import { expect, test } from 'vitest'
import type { DecodedTransaction } from '../../chain/decode-transaction.ts'
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import { type Fees, maxPricePerGas } from '../../core/fees/fees.ts'
import type { Policy } from '../../core/lane/policy.ts'
import { createCheapBytes } from '../../testing/engine/cheap-bytes.ts'
import { operate, POLICY, run } from '../../testing/engine/fast-bench.ts'
import { createTestCluster, type TestCluster } from '../../testing/engine/test-cluster.ts'

const GWEI = 10n ** 9n
const TOO_MUCH_GAS = { gasLimit: 100_000_000n, simulate: false }
const PLAIN = { gasLimit: 21_000n, simulate: false }

type Rule = (tx: DecodedTransaction) => SendOutcome | null

/** The node refuses what the rule says, whatever else it would do. */
async function setUp(refuse: Rule = () => null, change: Partial<Policy> = {}) {
  const bytes = createCheapBytes(`0x${'a1'.repeat(20)}`)
  const cluster = await createTestCluster({ policy: { ...POLICY, ...change }, bytes })
  const { broadcast, getFeeMarket } = cluster.chain
  const market = { tip: GWEI }
  Object.assign(cluster.chain, {
    getFeeMarket: async () => {
      const priorityFeePerGas = { slow: market.tip, standard: market.tip, fast: market.tip }
      return { ...(await getFeeMarket()), priorityFeePerGas }
    },
    broadcast: async (raws: Parameters<typeof broadcast>[0]) =>
      await Promise.all(
        raws.map(async (each) => refuse(bytes.decode(each.raw)) ?? (await broadcast([each]))[0] ?? UNANSWERED),
      ),
  })
  return { cluster, market, node: await cluster.startNode() }
}

const UNANSWERED: SendOutcome = { type: 'ambiguous', message: '' }
const FEE_CAP: SendOutcome = { type: 'refused', reason: 'node_fee_cap', message: 'exceeds the configured cap' }

async function kindsOf(cluster: TestCluster, id: string): Promise<string> {
  return (await cluster.find(id)).attempts.map(({ kind, nonce }) => `${kind} ${nonce}`).join(', ')
}

test('its nonce goes to an empty transaction with the gas that this one needs, at the price of the market', async () => {
  const { cluster } = await setUp()
  const bad = await cluster.submit(TOO_MUCH_GAS)
  const good = await cluster.submit(PLAIN)
  await run(cluster, 6)
  const tx = await cluster.find(bad)
  expect(tx).toMatchObject({ state: 'CANCELLED', subState: 'rejected', nonce: 0, error: { code: 'rejected' } })
  expect(tx.attempts).toMatchObject([{ kind: 'original' }, { kind: 'cancel', gasLimit: 25_200n }])
  expect(tx.attempts[1]?.fees).toEqual(tx.attempts[0]?.fees)
  expect(await cluster.find(good)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
  expect(await cluster.mined()).toHaveLength(2)
})

test('a takeover in between: the next owner signs the empty transaction, once', async () => {
  const { cluster, node } = await setUp()
  cluster.chain.setFault(({ name }) => (name === 'estimate' ? 'unavailable' : null))
  const bad = await cluster.submit(TOO_MUCH_GAS)
  await cluster.clock.advance(1_000)
  expect(await cluster.find(bad)).toMatchObject({ state: 'ALLOCATED', subState: 'making_way' })
  node.kill()
  cluster.chain.setFault(null)
  await cluster.startNode('node-b')
  await run(cluster, 15)
  expect(await cluster.find(bad)).toMatchObject({ state: 'CANCELLED', subState: 'rejected' })
  expect(await kindsOf(cluster, bad)).toBe('original 0, cancel 0')
})

test('if an operator cancels meanwhile, it ends as cancelled', async () => {
  const { cluster } = await setUp()
  const bad = await cluster.submit(TOO_MUCH_GAS)
  await cluster.clock.advance(200)
  await operate(cluster, bad, 'operator.cancelled')
  await run(cluster, 6)
  expect(await cluster.find(bad)).toMatchObject({ state: 'CANCELLED', subState: 'cancelled', error: null })
})

test('a policy that forbids replacements, set in between: its own bytes go out again, and are mined', async () => {
  let isStrict = true
  const { cluster } = await setUp(() => (isStrict ? FEE_CAP : null))
  cluster.chain.setFault(({ name }) => (name === 'estimate' ? 'unavailable' : null))
  const id = await cluster.submit(PLAIN)
  await cluster.clock.advance(1_000)
  expect(await cluster.find(id)).toMatchObject({ state: 'ALLOCATED', subState: 'making_way' })
  const note = { type: 'policy.changed', cause: null, detail: {} }
  await cluster.store.updateSigner(cluster.lane, { policy: { ...POLICY, mayReplace: 'never' } }, note)
  cluster.chain.setFault(null)
  isStrict = false
  await run(cluster, 60)
  expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', refusal: null })
  expect(await kindsOf(cluster, id)).toBe('original 0')
})

test('where nothing may be replaced it keeps its nonce and is STUCK', async () => {
  const { cluster } = await setUp(() => null, { mayReplace: 'never' })
  const bad = await cluster.submit(TOO_MUCH_GAS)
  await run(cluster, 6)
  expect(await cluster.find(bad)).toMatchObject({ state: 'STUCK', error: { code: 'rejected' }, nonce: 0 })
  expect(await kindsOf(cluster, bad)).toBe('original 0')
})

test('the empty one is refused too: STUCK with a cause, and gone as soon as a node takes it', async () => {
  let isStrict = true
  const { cluster } = await setUp(() => (isStrict ? FEE_CAP : null))
  const bad = await cluster.submit(PLAIN)
  await run(cluster, 120)
  expect(await cluster.find(bad)).toMatchObject({ state: 'STUCK', subState: 'rejected_by_node' })
  isStrict = false
  await run(cluster, 30)
  expect(await cluster.find(bad)).toMatchObject({ state: 'CANCELLED', subState: 'rejected' })
  expect(await cluster.mined()).toHaveLength(1)
})

test('too cheap for the pool and free to pay more: priced by the market at once, and mined', async () => {
  const floor: Rule = ({ fees }) =>
    fees.type === 'eip1559' && fees.maxPriorityFeePerGas < 3n * GWEI ? { type: 'underpriced', message: 'tip' } : null
  const { cluster, market } = await setUp(floor)
  const id = await cluster.submit(PLAIN)
  await cluster.clock.advance(200)
  market.tip = 4n * GWEI
  // Less than `bumpAfterMs` goes by.
  await run(cluster, 3)
  const { attempts } = await cluster.find(id)
  expect(attempts.map(({ kind, fees }) => [kind, fees.type === 'eip1559' && fees.maxPriorityFeePerGas])).toEqual([
    ['original', GWEI],
    ['bump', 4n * GWEI],
  ])
  await run(cluster, 4)
  expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
})

test('base fee above its own price: it makes way once, waits in the queue, and is mined when the fee has fallen', async () => {
  let baseFee = GWEI
  const { cluster } = await setUp(({ fees }) =>
    maxPricePerGas(fees) < baseFee ? { type: 'underpriced', message: 'less than block base fee' } : null,
  )
  const own: Fees = { type: 'eip1559', maxFeePerGas: 5n * GWEI, maxPriorityFeePerGas: GWEI }
  const setBaseFee = (wei: bigint) => {
    baseFee = wei
    cluster.chain.setBaseFee(wei)
  }
  cluster.chain.setFault(({ name }) => (name === 'broadcast' ? 'unavailable' : null))
  const id = await cluster.submit({ ...PLAIN, fees: own })
  await cluster.clock.advance(200)
  setBaseFee(20n * GWEI)
  cluster.chain.setFault(null)
  const behind = await cluster.submit(PLAIN)
  await run(cluster, 60)
  expect(await cluster.find(behind)).toMatchObject({ state: 'CONFIRMED', nonce: 1 })
  expect(await cluster.find(id)).toMatchObject({ state: 'QUEUED', error: { code: 'fee_below_base' } })
  expect(await kindsOf(cluster, id)).toBe('original 0, cancel 0')
  setBaseFee(GWEI)
  await run(cluster, 60)
  expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', nonce: 2 })
  expect(await kindsOf(cluster, id)).toBe('original 0, cancel 0, original 2')
  expect(await cluster.mined()).toHaveLength(3)
})
