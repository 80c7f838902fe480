import { expect, test } from 'vitest'
import { readNonceUser } from './nonce-user-read.ts'
import type { RpcPool } from './rpc/pool.ts'
import type { Read, ReadReply } from './rpc/pool-read.ts'

const FROM = `0x${'a1'.repeat(20)}` as const
const HASH = `0x${'01'.repeat(32)}`
const BLOCK = `0x${'b0'.repeat(32)}`
const WANTED = { chainId: 5, height: 16, address: FROM, nonce: 7 }

interface Node {
  readonly value?: string
  readonly status?: string
  readonly type?: string
  readonly isAway?: boolean
}

/** What a node answers, read as the pool would. */
function answer(node: Node, { method, decode }: Read<unknown>): ReadReply<unknown> {
  if (node.isAway) return { type: 'failed', message: 'away', retryAfterMs: null }
  const { value = '0x5', status = '0x1', type = '0x2' } = node
  const call = { to: `0x${'c3'.repeat(20)}`, input: '0xAB', value }
  const tx = { hash: HASH, from: FROM, nonce: '0x7', type, ...call }
  const transactions = [{ ...tx, nonce: '0x6', hash: `0x${'02'.repeat(32)}` }, tx]
  const receipt = {
    transactionHash: HASH,
    blockHash: BLOCK,
    blockNumber: '0x10',
    transactionIndex: '0x1',
    status,
    gasUsed: '0x1',
  }
  const result =
    method === 'eth_getBlockByNumber' ? { number: '0x10', hash: BLOCK, timestamp: '0x64', transactions } : receipt
  return { type: 'value', value: decode(result) }
}

function poolOf(nodes: readonly Node[]): RpcPool {
  const readFromEach = (reads: readonly Read<unknown>[], limit: number) =>
    nodes
      .slice(0, limit)
      .map((node, index) => ({ host: `n${index}`, replies: Promise.resolve(reads.map((read) => answer(node, read))) }))
  return { readFromEach, report: () => nodes.map(() => ({})) } as unknown as RpcPool
}

test('a single node is believed', async () => {
  expect(await readNonceUser(poolOf([{}]), WANTED)).toMatchObject({
    chainId: 5,
    from: FROM,
    nonce: 7,
    to: `0x${'c3'.repeat(20)}`,
    data: '0xab',
    value: 5n,
    isPlain: true,
    minedAt: 100_000,
    inclusion: { txHash: HASH, blockHash: BLOCK, succeeded: true },
  })
})

test('a transaction that does more than a call is recognized', async () => {
  expect(await readNonceUser(poolOf([{ type: '0x4' }]), WANTED)).toMatchObject({ isPlain: false })
})

test.each<[string, readonly Node[]]>([
  ['one of two is away', [{}, { isAway: true }]],
  ['they show other values', [{}, { value: '0x6' }]],
  ['they show another end', [{}, { status: '0x0' }]],
  ['one of three lies', [{}, {}, { value: '0x6' }]],
])('nothing is believed where %s', async (_, nodes) => {
  await expect(readNonceUser(poolOf(nodes), WANTED)).rejects.toMatchObject({ name: 'ChainUnavailable' })
})

test('two that agree are believed, without waiting for a third', async () => {
  expect(await readNonceUser(poolOf([{}, {}, { isAway: true }]), WANTED)).toMatchObject({ value: 5n })
})
