/**
 * The `stable` policy, held to its promise: one at a time, the same bytes and only those, nothing replaced, nothing
 * filled, nothing cancelled by itself once it has a nonce, and STUCK is a call for help, not an end. The hardest case for it: the
 * base fee rises above what the first transaction offers, so that no block takes it and nothing behind it may go.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SingleNode, startSingleNode } from '../faults/single-node.ts'
import { readChain } from '../setup/cluster.ts'

const GWEI = 10n ** 9n
let node: SingleNode

beforeEach(async () => {
  node = await startSingleNode({ preset: 'stable', env: { DROVER_STUCK_AFTER: '3s' } })
})

afterEach(() => node.close())

/** Every byte string that left the process, each once. */
function sentBytes(): readonly string[] {
  const sends = node.proxy.calls.filter(({ method }) => method === 'eth_sendRawTransaction')
  return [...new Set(sends.map(({ params }) => String(params[0])))]
}

async function mineAtBaseFee(baseFee: bigint, blocks = 1): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await node.chain.setNextBlockBaseFee(baseFee)
    await node.chain.mine(1)
  }
}

test('sends one at a time, and replaces sent bytes only when told to', async () => {
  const { body } = await node.drover().get(`/v1/signers/${node.sender.address}`)
  expect(body.lanes[0].policy).toMatchObject({
    preset: 'stable',
    maxInFlight: 1,
    mayReplace: 'on_order',
    onForeignNonce: 'stuck',
    externalUse: false,
  })
})

test('base fee above the offer: same bytes resent, STUCK but not final, then all mined in order, once each', async () => {
  const [first, second, third] = [await node.send(), await node.send(), await node.send()]
  await node.until(first, ({ subState }) => subState === 'pending')
  await mineAtBaseFee(1_000n * GWEI)

  // One at a time: the others have no nonce while the first is not final.
  const stuck = await node.until(first, ({ state }) => state === 'STUCK')
  expect(stuck).toMatchObject({ nonce: 0, inclusion: null })
  for (const id of [second, third]) expect(await node.read(id)).toMatchObject({ state: 'QUEUED', nonce: null })
  const explanation = (await node.drover().get(`/v1/transactions/${first}/explain`)).body
  expect(explanation.summary).toMatch(/offers at most [\d.]+ gwei per gas, but the next block asks [\d.]+ gwei/)
  expect(explanation.options.map(({ action }: { action: string }) => action)).toEqual([
    ...['speed-up', 'suspend', 'retry', 'cancel', 'resolve'],
  ])

  // Not over: it is still sent, also after the process was killed, and always as the same bytes.
  const sends = node.proxy.count('eth_sendRawTransaction')
  await node.proxy.awaitCalls('eth_sendRawTransaction', sends + 1)
  await node.stopService('SIGKILL')
  await node.start()
  const before = node.proxy.count('eth_sendRawTransaction')
  await node.proxy.awaitCalls('eth_sendRawTransaction', before + 1)
  expect(sentBytes()).toHaveLength(1)
  expect(await node.read(first)).toMatchObject({ state: 'STUCK', nonce: 0, hashes: [stuck.hash] })

  // Where policy says never, nor may an operator put anything else in its place.
  const policy = { mayReplace: 'never' }
  await node.drover().request('PATCH', `/v1/signers/${node.sender.address}`, { policy })
  const answer = await node.drover().post(`/v1/transactions/${first}/cancel`, { reason: 'in the way' })
  expect(answer).toMatchObject({ status: 409, body: { code: 'action_forbidden' } })
  expect(await node.read(first)).toMatchObject({ state: 'STUCK', hashes: [stuck.hash] })

  await mineAtBaseFee(1n)
  await node.mineUntil([first, second, third], 'CONFIRMED')
  expect(await node.read(first)).toMatchObject({ nonce: 0, hashes: [stuck.hash] })
  expect(sentBytes()).toHaveLength(3)
  const mined = await readChain(node.chain)
  const seen = await Promise.all([first, second, third].map(node.read))
  expect(mined.map(({ hash, nonce }) => ({ hash, nonce }))).toEqual(seen.map(({ hash }, nonce) => ({ hash, nonce })))
})
