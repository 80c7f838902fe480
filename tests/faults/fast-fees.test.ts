/** The price rises while much is in flight: real bytes, a real node's rules for replacing them, and a cap. */
import { keccak256 } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { readChain } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'
import { drop, pass } from '../setup/rpc-reactions.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'
const GWEI = 10n ** 9n
const CAP = 60n * GWEI

interface SeenAttempt {
  readonly hash: string
  readonly kind: string
  readonly fees: { readonly maxFeePerGas: string; readonly maxPriorityFeePerGas: string }
}

let node: SingleNode

afterEach(() => node.close())

async function start(): Promise<void> {
  node = await startSingleNode({
    preset: 'fast',
    env: { DROVER_BUMP_AFTER: '1s', DROVER_RESUBMIT_INTERVAL: '2s', DROVER_FINALITY: '2' },
  })
  const patch = { policy: { maxFeePerGas: String(CAP) }, reason: 'a cap' }
  const path = `/v1/signers/${node.sender.address}`
  expect((await node.drover().request('PATCH', path, { policy: patch.policy })).status).toBe(200)
  await mineAt(GWEI)
}

async function mineAt(baseFee: bigint): Promise<void> {
  await node.chain.setNextBlockBaseFee(baseFee)
  await node.chain.mine(1)
}

async function attemptsOf(id: string): Promise<readonly SeenAttempt[]> {
  return (await node.drover().get(`/v1/transactions/${id}/attempts`)).body.items
}

/** Each outbids the one before it on both fields, by what the strictest node asks, and stays under the cap. */
function expectValidSeries(attempts: readonly SeenAttempt[]): void {
  for (const [index, { fees }] of attempts.entries()) {
    expect(BigInt(fees.maxFeePerGas)).toBeLessThanOrEqual(CAP)
    const before = attempts[index - 1]?.fees
    if (before === undefined) continue
    expect(BigInt(fees.maxFeePerGas) * 8n).toBeGreaterThanOrEqual(BigInt(before.maxFeePerGas) * 9n)
    expect(BigInt(fees.maxPriorityFeePerGas) * 8n).toBeGreaterThanOrEqual(BigInt(before.maxPriorityFeePerGas) * 9n)
  }
}

test('the base fee rises tenfold under 50 in flight: all mined by replacement, no replacement refused, none above the cap [G11]', async () => {
  await start()
  const ids = await node.sendTogether(50)
  for (const id of ids) await node.until(id, ({ state }) => state === 'TRACKING')
  await eventually(
    async () => {
      await mineAt(10n * GWEI)
      return await Promise.all(ids.map((id) => node.read(id)))
    },
    (all) => all.every(({ state }) => state === 'CONFIRMED'),
    { everyMs: 400, timeoutMs: 90_000 },
  )
  const attempts = await Promise.all(ids.map(attemptsOf))
  expect(attempts.some((series) => series.length > 1)).toBe(true)
  for (const series of attempts) expectValidSeries(series)
  // The first bytes may be refused when they are sent again and no block would take them; what outbids them never is.
  expect(await node.metric('drover_broadcasts_total', 'replacement_underpriced')).toBe(0)
  const mined = await readChain(node.chain)
  expect(mined.map(({ nonce }) => nonce)).toEqual(ids.map((_, index) => index))
})

test('the original is mined after a bump was sent: confirmed once', async () => {
  await start()
  const id = await node.send()
  const { hash: original } = await node.until(id, ({ state }) => state === 'TRACKING')
  const isOriginal = (raw: unknown) => keccak256(raw as `0x${string}`) === original
  // The bump leaves and is lost on its way; only the original is in the pool.
  node.proxy.on(SEND, ({ params: [raw] }) => (isOriginal(raw) ? pass : drop({ forward: false })))
  await eventually(
    async () => {
      await mineAt(10n * GWEI)
      return await attemptsOf(id)
    },
    (attempts) => attempts.length > 1,
    { everyMs: 400 },
  )
  // This node drops what no block could pay for; another one kept the original, and mines it.
  const kept = node.proxy.calls.find(({ method, params: [raw] }) => method === SEND && isOriginal(raw))
  await node.chain.setNextBlockBaseFee(GWEI)
  await node.chain.rpc(SEND, kept?.params)
  await node.chain.mine(1)
  await node.mineUntil([id], 'CONFIRMED')
  const tx = await node.read(id)
  expect(tx.hash).toBe(original)
  expect(tx.hashes.length).toBeGreaterThan(1)
  expect(await readChain(node.chain)).toHaveLength(1)
})

test('above the cap it says so and resends the same bytes; once the price falls it is mined [G11]', async () => {
  await start()
  const id = await node.send()
  await node.until(id, ({ state }) => state === 'TRACKING')
  await eventually(
    async () => {
      await mineAt(100n * GWEI)
      return await node.read(id)
    },
    ({ subState }) => subState === 'fee_above_cap',
    { everyMs: 400 },
  )
  expect((await node.drover().get(`/v1/transactions/${id}/explain`)).body).toMatchObject({ cause: 'fee_above_cap' })
  expectValidSeries(await attemptsOf(id))
  const before = node.proxy.count(SEND)
  await eventually(
    async () => node.proxy.count(SEND),
    (count) => count > before,
  )
  await mineAt(GWEI)
  await node.mineUntil([id], 'CONFIRMED')
})

test('an operator speeds one up and cancels another', async () => {
  await start()
  const [faster = '', unwanted = ''] = await node.sendTogether(2)
  for (const id of [faster, unwanted]) await node.until(id, ({ state }) => state === 'TRACKING')
  const act = (id: string, action: string) =>
    node.drover().post(`/v1/transactions/${id}/${action}`, { reason: 'a drill' })
  expect((await act(faster, 'speed-up')).status).toBe(200)
  expect((await act(unwanted, 'cancel')).status).toBe(200)
  await eventually(
    async () => [await attemptsOf(faster), await attemptsOf(unwanted)].map((list) => list.at(-1)?.kind),
    (kinds) => kinds.join() === 'bump,cancel',
  )
  await eventually(
    async () => node.metric('drover_broadcasts_total', 'outcome="accepted"'),
    (accepted) => accepted >= 4,
  )
  await node.mineUntil([faster, unwanted], 'CONFIRMED', 'CANCELLED')
  expect((await node.read(faster)).state).toBe('CONFIRMED')
  expect(await node.read(unwanted)).toMatchObject({ state: 'CANCELLED', nonce: 1 })
  expect((await act(unwanted, 'cancel')).status).toBe(409)
  const sent = await readChain(node.chain)
  expect(sent).toHaveLength(2)
})
