/** Nonces that come back, and accounts that run dry: the lane goes on by itself, and the chain shows no gap. */
import { parseTransaction } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { readAll, readChain } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'
import { pass, rpcError } from '../setup/rpc-reactions.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

/** More than a block has: the node refuses such bytes, and that proves nothing. */
const TOO_MUCH_GAS = { gasLimit: '100000000', simulate: false }
/** Less than these bytes cost on any chain. */
const TOO_LITTLE_GAS = { gasLimit: '21000', data: `0x${'11'.repeat(100)}`, simulate: false }
const PLAIN = { gasLimit: '21000', simulate: false }
const ETHER = 10n ** 18n

let node: SingleNode

afterEach(() => node.close())

async function expectConsecutive(count: number): Promise<void> {
  const mined = await readChain(node.chain)
  expect(mined.map(({ nonce }) => nonce)).toEqual(Array.from({ length: count }, (_, index) => index))
}

/** As geth does; anvil takes them and never mines them. */
function refuseTooLittleGas(): void {
  node.proxy.on('eth_sendRawTransaction', ({ params: [raw] }) =>
    parseTransaction(raw as `0x${string}`).data === undefined ? pass : rpcError(-32000, 'intrinsic gas too low'),
  )
}

describe('bytes that are proven invalid', () => {
  test('free their nonce, and the next queued transaction gets it before any higher one', async () => {
    node = await startSingleNode({ preset: 'fast', env: { DROVER_MAX_IN_FLIGHT: '2' } })
    refuseTooLittleGas()
    const act = (action: string) =>
      node.drover().post(`/v1/signers/${node.sender.address}/${action}`, { reason: 'collecting' })
    await act('pause')
    const bad = await node.send(TOO_LITTLE_GAS)
    const [second, third] = [await node.send(PLAIN), await node.send(PLAIN)]
    await act('resume')
    await node.until(third, ({ state }) => state === 'TRACKING')
    expect(await node.read(third)).toMatchObject({ nonce: 0 })
    await node.mineUntil([second, third], 'CONFIRMED')
    expect(await node.read(bad)).toMatchObject({
      state: 'CANCELLED',
      subState: 'rejected',
      nonce: null,
      error: { code: 'rejected' },
    })
    expect(await node.read(second)).toMatchObject({ nonce: 1 })
    await expectConsecutive(2)
  })

  test('with an empty queue the gap is filled by an empty transaction', async () => {
    node = await startSingleNode({ preset: 'fast' })
    refuseTooLittleGas()
    const act = (action: string) =>
      node.drover().post(`/v1/signers/${node.sender.address}/${action}`, { reason: 'collecting' })
    await act('pause')
    await node.send(TOO_LITTLE_GAS)
    const good = await node.send(PLAIN)
    await act('resume')
    await node.mineUntil([good], 'CONFIRMED')
    expect(await node.read(good)).toMatchObject({ nonce: 1 })
    const fills = (await readAll(node.drover())).filter(({ id }) => !node.accepted.includes(id))
    expect(fills).toMatchObject([{ state: 'CONFIRMED', nonce: 0, metadata: { purpose: 'gap_fill' } }])
    await expectConsecutive(2)
  })
})

test('bytes that the node refuses keep their nonce: an empty transaction fills it, and later nonces stay', async () => {
  node = await startSingleNode({ preset: 'fast' })
  const bad = await node.send(TOO_MUCH_GAS)
  const good = [await node.send(PLAIN), await node.send(PLAIN)]
  await node.mineUntil([bad, ...good], 'CONFIRMED', 'CANCELLED')
  expect(await node.read(bad)).toMatchObject({
    state: 'CANCELLED',
    subState: 'rejected',
    nonce: 0,
    hashes: { length: 2 },
    error: { code: 'rejected' },
  })
  expect((await Promise.all(good.map(node.read))).map(({ state, nonce }) => [state, nonce])).toEqual([
    ['CONFIRMED', 1],
    ['CONFIRMED', 2],
  ])
  await expectConsecutive(3)
})

describe('funds', () => {
  test('one oversized intent among 100: 99 are mined', async () => {
    node = await startSingleNode({
      preset: 'fast',
    })
    await node.chain.setBalance(node.sender.address, ETHER)
    const ids: string[] = []
    for (let index = 0; index < 100; index++)
      ids.push(await node.send({ ...PLAIN, value: index === 10 ? String(5n * ETHER) : '1' }))
    const [oversized = ''] = ids.splice(10, 1)
    await node.mineUntil(ids, 'CONFIRMED')
    expect(await node.read(oversized)).toMatchObject({ state: 'QUEUED', subState: 'waiting_for_funds' })
    await expectConsecutive(99)
  })

  test('a drained account pauses its lane, confirmations continue, and after a top-up it is mined within two blocks', async () => {
    node = await startSingleNode({ preset: 'fast', env: { DROVER_FINALITY: '3' } })
    const before = await node.send(PLAIN)
    await node.until(before, ({ state }) => state === 'TRACKING')
    await node.chain.mine(1)
    await node.chain.setBalance(node.sender.address, 1_000n)
    // A balance is read once per block: the next one shows it.
    await node.chain.mine(1)
    await node.until(before, ({ confirmations }) => confirmations.count === 1)
    const ids: string[] = []
    for (let index = 0; index < 5; index++) ids.push(await node.send(PLAIN))
    for (const id of ids) await node.until(id, ({ subState }) => subState === 'waiting_for_funds')
    await node.mineUntil([before], 'CONFIRMED')
    expect((await Promise.all(ids.map(node.read))).map(({ state }) => state)).toEqual(ids.map(() => 'QUEUED'))
    await node.chain.setBalance(node.sender.address, ETHER)
    // The block that shows the top-up, and the one that takes what it pays for.
    await node.chain.mine(1)
    for (const id of ids) await node.until(id, ({ state }) => state === 'TRACKING')
    await node.chain.mine(1)
    for (const id of ids) await node.until(id, ({ inclusion }) => inclusion !== null)
    await expectConsecutive(6)
  })

  test('drained while in flight: dropped transactions are sent again after the top-up', async () => {
    node = await startSingleNode({ preset: 'fast' })
    const id = await node.send(PLAIN)
    await node.until(id, ({ state }) => state === 'TRACKING')
    await node.chain.dropAllTransactions()
    await node.chain.setBalance(node.sender.address, 1_000n)
    await node.until(id, ({ subState }) => subState === 'waiting_for_funds')
    await node.chain.setBalance(node.sender.address, ETHER)
    await eventually(
      async () => {
        await node.chain.mine(1)
        return await node.read(id)
      },
      ({ state }) => state === 'CONFIRMED',
      { everyMs: 150 },
    )
    await expectConsecutive(1)
  })
})
