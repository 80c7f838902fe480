/** Several nodes: whichever is asked answers with the hash, whoever holds the lane. */
import { afterEach, expect, test } from 'vitest'
import { type Cluster, startCluster } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'

let cluster: Cluster

afterEach(() => cluster.stop())

test('sends from one account through every node at once: each call gets its own hash, and all are mined', async () => {
  cluster = await startCluster({ nodes: 3, lanes: 1, env: { DROVER_RPC_HOLD_TIMEOUT: '60s' } })
  const from = cluster.signers[0]?.address
  const call = async (index: number, method: string, ...params: readonly unknown[]) =>
    (await cluster.nodes[index % 3]?.post('/rpc', { jsonrpc: '2.0', id: index, method, params }))?.body
  const answers = await Promise.all(
    Array.from({ length: 45 }, (_, index) => call(index, 'eth_sendTransaction', { from, to: from, value: '0x1' })),
  )
  const hashes: string[] = answers.map(({ result }) => result)
  expect(new Set(hashes).size).toBe(45)
  const receipts = await eventually(
    () =>
      Promise.all(hashes.map(async (hash, index) => (await call(index + 1, 'eth_getTransactionReceipt', hash)).result)),
    (seen) => seen.every((receipt) => receipt !== null),
    { everyMs: 300 },
  )
  expect(receipts.every(({ status }) => status === '0x1')).toBe(true)
  const mined = await Promise.all(
    hashes.map((hash) => cluster.chain.rpc<{ nonce: string }>('eth_getTransactionByHash', [hash])),
  )
  expect(mined.map(({ nonce }) => Number(nonce)).sort((a, b) => a - b)).toEqual(hashes.map((_, index) => index))
})

test('nonces chosen by the caller, sent through different nodes in any order: each one is kept', async () => {
  cluster = await startCluster({ nodes: 2, lanes: 1, env: { DROVER_RPC_HOLD_TIMEOUT: '60s' } })
  const from = cluster.signers[0]?.address
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const nonce = 19 - index
      const params = [{ from, to: from, value: '0x1', nonce: `0x${nonce.toString(16)}` }]
      const body = { jsonrpc: '2.0', id: nonce, method: 'eth_sendTransaction', params }
      return (await cluster.nodes[index % 2]?.post('/rpc', body))?.body
    }),
  )
  // All of them: one that is refused makes those above it wait until their time is over.
  expect(answers.flatMap(({ id, error }) => (error === undefined ? [] : [{ id, ...error }]))).toEqual([])
  for (const { id, result } of answers) {
    const { items } = (await cluster.nodes[0]?.get(`/v1/transactions?hash=${result}`))?.body ?? {}
    expect(items).toMatchObject([{ nonce: id }])
  }
})
