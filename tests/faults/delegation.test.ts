/** Nodes that keep one transaction of an account: because it has delegated code (EIP-7702), or because they never keep more. */
import { parseTransaction } from 'viem'
import { afterEach, expect } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { installGethLikePool } from '../setup/geth-like-pool.ts'
import { rpcError } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { scenario } from './scenario.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'
const POOL = { globalSlots: 64, accountSlots: 16, globalQueue: 64, accountQueue: 16 }
const SLOW = { DROVER_RESUBMIT_INTERVAL: '600s', DROVER_BUMP_AFTER: '600s' }
const DELEGATED = `0xef0100${'ab'.repeat(20)}`

let node: SingleNode

afterEach(() => node.close())

const readWindow = async () => (await node.drover().get(`/v1/signers/${node.sender.address}`)).body.lanes[0].window

scenario(
  'an account is delegated while running: noticed within a few blocks, then one in flight at a time',
  async (remark) => {
    node = await startSingleNode({ preset: 'fast', env: SLOW })
    installGethLikePool(node.proxy, node.chain, POOL)
    await node.mineUntil(await node.sendTogether(5), 'CONFIRMED')
    await node.chain.setCode(node.sender.address, DELEGATED)
    const asked = node.proxy.count('eth_getCode')
    const ids = await node.sendTogether(8)
    await node.mineUntil(ids, 'CONFIRMED')
    expect(node.proxy.count('eth_getCode')).toBeGreaterThan(asked)
    expect(await readWindow()).toMatchObject({ size: 1, reason: 'delegated' })
    const sends = node.proxy.count(SEND)
    const [, , last = ''] = await node.sendTogether(3)
    const explain = async () => (await node.drover().get(`/v1/transactions/${last}/explain`)).body
    const { summary } = await eventually(explain, ({ cause }) => cause === 'waiting_for_slot')
    expect(summary).toContain('delegated code (EIP-7702)')
    await node.mineUntil(node.accepted, 'CONFIRMED')
    expect(node.proxy.count(SEND) - sends).toBe(3)
    remark(`${sends} sends for 13 intents`)
    await expectUndisturbed(node)
  },
)

scenario('a node accepts only the next nonce: the lane sends one at a time, and nothing gets stuck', async (remark) => {
  node = await startSingleNode({ preset: 'fast', env: SLOW })
  node.proxy.on(SEND, async ({ params: [raw] }) => {
    const { nonce = 0 } = parseTransaction(raw as `0x${string}`)
    const latest = Number(await node.chain.rpc('eth_getTransactionCount', [node.sender.address, 'latest']))
    return nonce > latest
      ? rpcError(-32000, `nonce too high: address ${node.sender.address}, tx: ${nonce} state: ${latest}`)
      : undefined
  })
  const ids = await node.sendTogether(8)
  await node.mineUntil(ids, 'CONFIRMED')
  expect((await readWindow()).ceiling).toBe(1)
  const sends = node.proxy.count(SEND)
  expect(sends).toBeLessThan(30)
  remark(`${sends} sends for 8 intents`)
  await expectUndisturbed(node)
})
