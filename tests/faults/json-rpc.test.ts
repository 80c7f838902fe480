/** The JSON-RPC endpoint while its nodes misbehave: hashes are told all the same, and nothing is told that is secret. */
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { drop, pass, rpcError } from '../setup/rpc-reactions.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SECRET = 'project-0123456789abcdef'
const SEND = 'eth_sendRawTransaction'
let node: SingleNode

afterEach(() => node.close())

async function start(holdTimeout = '60s'): Promise<void> {
  node = await startSingleNode({
    preset: 'fast',
    env: { DROVER_RPC_HOLD_TIMEOUT: holdTimeout },
    rpcUrl: (url) => `${url}/v3/${SECRET}`,
  })
}

async function rpc(method: string, ...params: readonly unknown[]) {
  const { status, body } = await node.drover().post('/rpc', { jsonrpc: '2.0', id: 1, method, params })
  expect(status).toBe(200)
  expect(JSON.stringify(body)).not.toContain(SECRET)
  return body
}

function transfer(): object {
  return { from: node.sender.address, to: node.sender.address, value: '0x1' }
}

test('the hash is returned and its transaction shown before any node has it', async () => {
  await start()
  node.proxy.on(SEND, drop({ forward: false }))
  const { result: hash } = await rpc('eth_sendTransaction', transfer())
  expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await node.chain.rpc('eth_getTransactionByHash', [hash])).toBeNull()
  const shown = await rpc('eth_getTransactionByHash', hash)
  expect(shown.result).toMatchObject({ hash, nonce: '0x0', blockHash: null })
  expect((await rpc('eth_getTransactionReceipt', hash)).result).toBeNull()
  expect((await rpc('eth_getTransactionCount', node.sender.address, 'pending')).result).toBe('0x1')
  node.proxy.on(SEND, pass)
  await eventually(
    async () => {
      await node.chain.mine(1)
      return (await rpc('eth_getTransactionReceipt', hash)).result
    },
    (receipt) => receipt !== null,
    { everyMs: 200 },
  )
})

test('while no node responds, a send is stored and named and reads fail clearly; later it is mined', async () => {
  await start('1s')
  node.proxy.setDown(true)
  expect((await rpc('eth_blockNumber')).error).toMatchObject({ code: -32603 })
  const { error } = await rpc('eth_sendTransaction', transfer())
  expect(error).toMatchObject({ code: -32002, data: { state: 'QUEUED' } })
  node.proxy.setDown(false)
  await node.mineUntil([error.data.transactionId], 'CONFIRMED')
})

test('error texts of a node are passed on without the secret in its URL', async () => {
  await start()
  node.proxy.on('eth_call', rpcError(-32001, `no plan for ${SECRET}`, { url: `https://x/${SECRET}`, hex: '0x01' }))
  const { error } = await rpc('eth_call', {})
  expect(error).toEqual({ code: -32001, message: 'no plan for ***', data: { url: 'https://x/***', hex: '0x01' } })
})
