/** Endpoints that only some bytes may go to: whatever happens, no other RPC endpoint ever sees those bytes. */

import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { scenario } from './scenario.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'
const PRIVATE = developmentAccount(0)
const ORDINARY = developmentAccount(1)

let node: SingleNode
let relay: RpcProxy

afterEach(async () => {
  await node.close()
  await relay.stop()
})

async function start(sendUrl: (relayUrl: string) => string, env: Record<string, string> = {}): Promise<void> {
  relay = await startRpcProxy('http://127.0.0.1:1')
  node = await startSingleNode({
    preset: 'fast',
    rpcUrl: (proxyUrl, chainUrl) => {
      relay.setUpstream(chainUrl)
      return proxyUrl
    },
    env: {
      DROVER_SIGNER_KEYS: `${PRIVATE.privateKey},${ORDINARY.privateKey}`,
      DROVER_RPC_SEND_URL: sendUrl(relay.url),
      ...env,
    },
  })
}

const isSent = ({ state }: { readonly state: string }) => state === 'TRACKING'
const explain = async (id: string) => (await node.drover().get(`/v1/transactions/${id}/explain`)).body
const act = async (id: string, action: string) =>
  expect(await node.drover().post(`/v1/transactions/${id}/${action}`, { reason: 'a drill' })).toMatchObject({
    status: 200,
  })
/** The next send of the relay, whatever is sent. */
const awaitSend = async () => await relay.awaitCalls(SEND, relay.count(SEND) + 1)

/** All bytes that were ever signed for a signer, and those of them that an endpoint was given in any call. */
async function readBytes(signer: string): Promise<readonly string[]> {
  const rows = await node.query<{ raw: Buffer }>(
    `select a.raw from tx_attempt a join managed_tx tx on tx.tx_id = a.tx_id where encode(tx.signer, 'hex') = '${signer.slice(2).toLowerCase()}'`,
  )
  return rows.map(({ raw }) => `0x${raw.toString('hex')}`)
}

function seenBy(proxy: RpcProxy, bytes: readonly string[]): readonly string[] {
  const said = JSON.stringify(proxy.calls).toLowerCase()
  return bytes.filter((raw) => said.includes(raw.slice(2)))
}

scenario('bytes of a signer with its own send endpoint go only there, also after a crash', async () => {
  await start((relayUrl) => `${PRIVATE.address}=${relayUrl}`, { DROVER_BUMP_AFTER: '1h' })
  const first = await node.send()
  const other = await node.send({ from: ORDINARY.address })
  await node.mineUntil([first, other], 'CONFIRMED')
  // Sent again, sped up, cancelled.
  const slow = await node.send()
  await node.until(slow, isSent)
  await awaitSend()
  await act(slow, 'speed-up')
  await node.until(slow, ({ hashes }) => hashes.length === 2)
  await act(slow, 'cancel')
  await node.until(slow, ({ hashes }) => hashes.length === 3)
  await awaitSend()
  await node.mineUntil([slow], 'CANCELLED', 'CONFIRMED')
  // A gap that Drover fills.
  const reserved = await node.drover().post(`/v1/signers/${PRIVATE.address}/nonces`, { ttlMs: 600_000 })
  const [{ id: lent }] = reserved.body.items
  const ahead = await node.send()
  await node.until(ahead, isSent)
  const { lockOwner } = reserved.body
  expect((await node.drover().post(`/v1/nonces/${lent}/release`, { lockOwner })).status).toBe(200)
  await node.mineUntil([ahead], 'CONFIRMED')
  // The next process sends again what it finds.
  const last = await node.send()
  await node.until(last, isSent)
  await node.stopService('SIGKILL')
  await node.chain.dropAllTransactions()
  await node.start()
  await awaitSend()
  await node.mineUntil([last], 'CONFIRMED')

  const [hidden, open] = [await readBytes(PRIVATE.address), await readBytes(ORDINARY.address)]
  expect(hidden.length).toBeGreaterThanOrEqual(7)
  expect(seenBy(node.proxy, hidden)).toEqual([])
  // Five were mined, so they came through it; of those that were replaced, some may never have left.
  expect(seenBy(relay, hidden).length).toBeGreaterThanOrEqual(5)
  expect(open).toHaveLength(1)
  expect(seenBy(node.proxy, open)).toHaveLength(1)
  expect(seenBy(relay, open)).toEqual([])
})

scenario('the only send endpoint of a signer is away: its transactions wait, say so, and leak nowhere', async () => {
  await start((relayUrl) => `${PRIVATE.address}=${relayUrl}`)
  const host = new URL(relay.url).host
  relay.setDown(true)
  const id = await node.send()
  const said = await eventually(
    () => explain(id),
    ({ cause }) => cause === 'send_endpoint_away',
  )
  expect(said.summary).toContain(`${host} does not respond`)
  expect(said.summary).toContain('no other RPC endpoint')
  const other = await node.send({ from: ORDINARY.address })
  await node.mineUntil([other], 'CONFIRMED')
  expect(seenBy(node.proxy, await readBytes(PRIVATE.address))).toEqual([])
  const { endpoints } = (await node.drover().get('/v1/chains')).body.items[0]
  expect(endpoints).toMatchObject([
    { roles: ['read', 'send'], inUse: true },
    { name: host, roles: ['private'], state: 'failing', inUse: false, head: null },
  ])
  relay.setDown(false)
  await node.until(id, isSent)
  expect((await explain(id)).summary).toContain(`only to ${host}`)
  await node.mineUntil([id], 'CONFIRMED')
  expect(seenBy(node.proxy, await readBytes(PRIVATE.address))).toEqual([])
})

scenario(
  'a chain with its own send endpoints: the others are only read, for callers that sign themselves too',
  async () => {
    await start((relayUrl) => relayUrl)
    const id = await node.send()
    const stranger = developmentAccount(5)
    const raw = await privateKeyToAccount(stranger.privateKey as `0x${string}`).signTransaction({
      chainId: 31337,
      type: 'eip1559',
      nonce: 0,
      to: stranger.address as `0x${string}`,
      gas: 21_000n,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    })
    const answer = await node.drover().post('/rpc', { jsonrpc: '2.0', id: 1, method: SEND, params: [raw] })
    expect(answer.body.result).toMatch(/^0x/)
    await node.mineUntil([id], 'CONFIRMED')
    expect(seenBy(node.proxy, [raw, ...(await readBytes(PRIVATE.address))])).toEqual([])
    expect(seenBy(relay, [raw])).toEqual([raw])
    const { endpoints } = (await node.drover().get('/v1/chains')).body.items[0]
    expect(endpoints).toMatchObject([{ roles: ['read'] }, { roles: ['send'], state: 'healthy' }])
    expect(relay.count('eth_getBlockByNumber') + relay.count('eth_estimateGas')).toBe(0)
  },
)
