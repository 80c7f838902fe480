/** A node that shows the block in the making, as one with flashblocks does: what it promises is told, and only a block counts. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { answer, change } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { type Preset, type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'
const COUNT = 'eth_getTransactionCount'
const RECEIPT = 'eth_getTransactionReceipt'

let node: SingleNode
/** Hashes that the node shows in the block after its head. */
const promised = new Set<string>()

beforeEach(() => promised.clear())
afterEach(() => node.close())

/** Bytes go out again only when a promise is broken, or after longer than a test takes. */
async function start(preset: Preset): Promise<void> {
  const env = { DROVER_PRECONFIRMATIONS: 'true', DROVER_RESUBMIT_INTERVAL: '10m', DROVER_BUMP_AFTER: '10m' }
  node = await startSingleNode({ preset, env })
}

/** `pending` is the state with what is promised, and not with the pool; receipts are those of that state. */
function showPromises(): void {
  const { chain, proxy, sender } = node
  proxy.on(COUNT, async ({ params: [address, tag] }) => {
    if (tag !== 'pending' || String(address).toLowerCase() !== sender.address.toLowerCase()) return undefined
    const latest = Number(await chain.rpc<string>(COUNT, [sender.address, 'latest']))
    const unmined = await Promise.all([...promised].map((hash) => chain.rpc(RECEIPT, [hash])))
    return answer(`0x${(latest + unmined.filter((receipt) => receipt === null).length).toString(16)}`)
  })
  proxy.on(
    RECEIPT,
    change(async (result, { params: [hash] }) => {
      if (result !== null || !promised.has(String(hash))) return result
      return {
        transactionHash: hash,
        transactionIndex: '0x0',
        blockHash: `0x${'f1'.repeat(32)}`,
        status: '0x1',
        blockNumber: `0x${((await chain.blockNumber()) + 1).toString(16)}`,
        gasUsed: '0x5208',
        effectiveGasPrice: '0x3b9aca00',
        contractAddress: null,
        logs: [],
      }
    }),
  )
}

async function typesOf(id: string): Promise<readonly string[]> {
  return (await node.history(id)).map(({ type }) => type)
}

describe.each(['stable', 'fast'] as const)('%s', (preset) => {
  test('preconfirmed, then mined: events in order, confirmed once', async () => {
    await start(preset)
    showPromises()
    const id = await node.send()
    const { hash } = await node.until(id, ({ subState }) => subState === 'pending')
    promised.add(hash)
    const early = await node.until(id, ({ subState }) => subState === 'preconfirmed')
    expect(early).toMatchObject({ state: 'TRACKING', inclusion: null, receipt: null, confirmations: { count: 0 } })
    expect((await node.drover().get(`/v1/transactions/${id}/explain`)).body).toMatchObject({ cause: 'preconfirmed' })
    const height = await node.chain.blockNumber()
    await node.mineUntil([id], 'CONFIRMED')
    expect(await typesOf(id)).toEqual([
      ...['accepted', 'nonce.allocated', 'broadcast.answered'],
      ...['preconfirmation.seen', 'inclusion.seen', 'finality.reached'],
    ])
    const seen = (await node.history(id)).find(({ type }) => type === 'preconfirmation.seen')
    expect(seen?.detail).toEqual({ hash, blockNumber: height + 1, succeeded: true })
    expect(node.proxy.count(SEND)).toBe(1)
    expect(await node.metric('drover_preconfirmations_total', 'result="seen"')).toBe(1)
    await expectUndisturbed(node)
  })
})

test('preconfirmed, then lost with the pool: resent as soon as the chain has passed it, mined once', async () => {
  await start('stable')
  showPromises()
  const id = await node.send()
  const { hash } = await node.until(id, ({ subState }) => subState === 'pending')
  promised.add(hash)
  await node.until(id, ({ subState }) => subState === 'preconfirmed')
  promised.clear()
  await node.chain.dropAllTransactions()
  await node.chain.mine(2)
  await eventually(
    async () => node.proxy.count(SEND),
    (count) => count === 2,
  )
  await node.mineUntil([id], 'CONFIRMED')
  const [seen, ...after] = (await typesOf(id)).slice(3)
  // The receipt of the real block may be met a moment before that block is followed.
  expect([seen, ...after.filter((type) => type !== 'preconfirmation.seen')]).toEqual([
    ...['preconfirmation.seen', 'preconfirmation.lost', 'resubmit.claimed', 'broadcast.answered'],
    ...['inclusion.seen', 'finality.reached'],
  ])
  await expectUndisturbed(node)
})

test('of several in flight, only those in the pending block are reported as preconfirmed', async () => {
  await start('fast')
  showPromises()
  const ids = await node.sendTogether(6)
  const sent = await Promise.all(ids.map((id) => node.until(id, ({ subState }) => subState === 'pending')))
  const [first, second] = [...sent].sort((a, b) => a.nonce - b.nonce)
  for (const tx of [first, second]) promised.add(tx?.hash ?? '')
  for (const tx of [first, second]) await node.until(tx?.id ?? '', ({ subState }) => subState === 'preconfirmed')
  const others = ids.filter((id) => id !== first?.id && id !== second?.id)
  for (const id of others) expect(await node.read(id)).toMatchObject({ subState: 'pending' })
  await node.mineUntil(ids, 'CONFIRMED')
  await expectUndisturbed(node)
})

test('a node that counts its pool as pending and has no receipt: nothing is reported', async () => {
  await start('stable')
  const id = await node.send()
  await node.until(id, ({ subState }) => subState === 'pending')
  await node.proxy.awaitCalls(RECEIPT, node.proxy.count(RECEIPT) + 5)
  expect(Number(await node.chain.rpc<string>(COUNT, [node.sender.address, 'pending']))).toBe(1)
  expect(await node.read(id)).toMatchObject({ subState: 'pending' })
  expect(await typesOf(id)).not.toContain('preconfirmation.seen')
  await node.mineUntil([id], 'CONFIRMED')
  await expectUndisturbed(node)
})
