/** One node alone cannot fire a timer: what two nodes agree on counts. */
import { expect, test } from 'vitest'
import type { Hash } from '../core/hex.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import { createAgreedReads } from './agreed-reads.ts'
import type { NodeReplies } from './rpc/pool.ts'
import { decodeReply, type Read } from './rpc/pool-read.ts'
import type { RpcReply, RpcRequest } from './rpc/read-reply.ts'

type Node = (request: RpcRequest) => RpcReply | unknown

const ENDPOINT = { name: 'node', noteGarbage: () => {}, noteLacking: () => {}, waitMs: () => 0 } as never
const hashOf = (digit: string): Hash => `0x${digit.repeat(64)}`

function poolOf(nodes: readonly Node[]) {
  const asked: number[] = []
  return {
    asked,
    report: () => nodes.map(() => ({})) as never,
    readFromEach: <T>(reads: readonly Read<T>[], limit: number): readonly NodeReplies<T>[] =>
      nodes.slice(0, limit).map((node, index) => {
        asked.push(index)
        const replies = reads.map((read) => decodeReply(ENDPOINT, read, toReply(node(read))))
        return { host: String(index), replies: Promise.resolve(replies) }
      }),
  }
}

function toReply(answer: unknown): RpcReply {
  const isReply = typeof answer === 'object' && answer !== null && 'type' in answer
  return isReply ? (answer as RpcReply) : { type: 'result', result: answer }
}

const AWAY: RpcReply = { type: 'unreached', message: 'no answer' }
const failWith = (message: string): RpcReply => ({
  type: 'error',
  error: { code: -32_000, message, data: null, httpStatus: 200 },
})

/** Blocks with a hash of one repeated digit. */
const blocks =
  (digit: string, head = 20): Node =>
  ({ params: [at] }) =>
    Number(at) > head
      ? null
      : {
          number: at,
          hash: hashOf(digit),
          parentHash: hashOf('9'),
          stateRoot: hashOf('8'),
          timestamp: '0x1',
          transactions: [],
        }

test.each<[string, readonly Node[], Hash | null]>([
  ['the only node there is', [blocks('a')], hashOf('a')],
  ['two that agree', [blocks('a'), blocks('a')], hashOf('a')],
  ['two that do not', [blocks('a'), blocks('b')], null],
  ['two of three', [blocks('b'), blocks('a'), blocks('a')], hashOf('a')],
  ['three that all differ', [blocks('a'), blocks('b'), blocks('c')], null],
  ['two against two', [blocks('a'), blocks('b'), blocks('a'), blocks('b')], null],
  ['one, where the other is away', [blocks('a'), () => AWAY], null],
  ['two, where a third is away', [() => AWAY, blocks('a'), blocks('a')], hashOf('a')],
  ['one that has the block, and one that does not', [blocks('a'), blocks('a', 5)], null],
])('a block of %s', async (_, nodes, expected) => {
  const read = createAgreedReads(poolOf(nodes)).readAgreedBlocks([10])
  if (expected === null) await expect(read).rejects.toThrow(ChainUnavailable)
  else expect(await read).toMatchObject([{ number: 10, hash: expected, stateRoot: hashOf('8') }])
})

test('a third node is asked only if two disagree', async () => {
  const calm = poolOf([blocks('a'), blocks('a'), blocks('a')])
  await createAgreedReads(calm).readAgreedBlocks([1, 2, 3])
  expect(calm.asked).toEqual([0, 1])
  const split = poolOf([blocks('a'), blocks('b'), blocks('a')])
  await createAgreedReads(split).readAgreedBlocks([1, 2, 3])
  expect(split.asked).toEqual([0, 1, 0, 1, 2])
})

test('blocks are returned up to the first that cannot be read', async () => {
  const { readAgreedBlocks } = createAgreedReads(poolOf([blocks('a', 11), blocks('a', 30)]))
  expect((await readAgreedBlocks([10, 11, 12, 13])).map(({ number }) => number)).toEqual([10, 11])
})

const CONTRACT = `0x${'c0'.repeat(20)}` as const
const OTHER = `0x${'c1'.repeat(20)}` as const
const log = (address: string, logIndex: number, blockHash = hashOf('a')) => ({
  address,
  topics: [hashOf('7')],
  data: '0x',
  logIndex: `0x${logIndex}`,
  blockHash,
})
const logsOf =
  (...logs: readonly object[]): Node =>
  () =>
    logs

test('logs count where two nodes have the same, in their order, of the contracts that are asked for', async () => {
  const both = [logsOf(log(CONTRACT, 2), log(OTHER, 1)), logsOf(log(OTHER, 1), log(CONTRACT, 2))]
  const { readAgreedLogs } = createAgreedReads(poolOf(both))
  const block = { number: 1, hash: hashOf('a') }
  expect(await readAgreedLogs([block], [CONTRACT])).toEqual([[{ address: CONTRACT, topics: [hashOf('7')] }]])
  const invented = createAgreedReads(poolOf([logsOf(log(CONTRACT, 1)), logsOf()]))
  await expect(invented.readAgreedLogs([block], [CONTRACT])).rejects.toThrow('the RPC nodes do not agree')
  const elsewhere = createAgreedReads(poolOf([logsOf(log(CONTRACT, 1, hashOf('b')))]))
  await expect(elsewhere.readAgreedLogs([block], [CONTRACT])).rejects.toThrow('a log belongs to another block')
})

const CALL = { to: CONTRACT, data: '0x01', gas: 100_000n, blockHash: hashOf('a') } as const
const PRUNED = failWith('missing trie node 1234 (path )')
const HUGE = `0x${'00'.repeat(100_000)}`
const unknown = (why: string) => ({ type: 'unknown', message: expect.stringContaining(why) })

test.each<[string, readonly Node[], object]>([
  ['the same value', [() => '0x05', () => '0x05'], { type: 'value', data: '0x05' }],
  ['another value', [() => '0x05', () => '0x06'], unknown('the RPC nodes do not agree')],
  [
    'a revert, in other words',
    [() => failWith('execution reverted: no'), () => failWith('VM Exception: revert')],
    { type: 'reverted' },
  ],
  ['a state that neither has', [() => PRUNED, () => PRUNED], { type: 'pruned' }],
  ['a state that one does not have', [() => '0x05', () => PRUNED], unknown('the RPC nodes do not agree')],
  ['a state that a third has', [() => '0x05', () => PRUNED, () => '0x05'], { type: 'value', data: '0x05' }],
  ['no answer', [() => '0x05', () => AWAY], unknown('no answer')],
  ['an error that says nothing', [() => failWith('gremlins'), () => failWith('gremlins')], unknown('gremlins')],
  [
    'a call that takes too long',
    [() => failWith('execution aborted (timeout = 5s)'), () => '0x05'],
    unknown('execution aborted'),
  ],
  ['more than anybody needs', [() => HUGE, () => HUGE], { type: 'too_large' }],
])('a view call with %s', async (_, nodes, expected) => {
  expect(await createAgreedReads(poolOf(nodes)).readAgreedViews([CALL])).toMatchObject([expected])
})

test('a view call has its own bound of gas and block, and one that fails spoils no other', async () => {
  const asked: RpcRequest[] = []
  const node: Node = (request) => {
    asked.push(request)
    return (request.params[0] as { data: string }).data === '0x01' ? failWith('gremlins') : '0x07'
  }
  const calls = [CALL, { ...CALL, data: '0x02', gas: 10_000_000n, blockHash: hashOf('b') }] as const
  const found = await createAgreedReads(poolOf([node, node])).readAgreedViews(calls)
  expect(found).toEqual([unknown('gremlins'), { type: 'value', data: '0x07' }])
  expect(asked[1]?.params).toEqual([{ to: CONTRACT, data: '0x02', gas: '0x989680' }, { blockHash: hashOf('b') }])
})

test('for a tag, the lower height of two nodes counts', async () => {
  const tag =
    (height: string): Node =>
    () => ({ ...(blocks('a')({ method: '', params: ['0x1'] }) as object), number: height })
  expect(await createAgreedReads(poolOf([tag('0x9'), tag('0x7')])).readAgreedTag('finalized')).toBe(7)
  expect(await createAgreedReads(poolOf([tag('0x9'), () => null])).readAgreedTag('finalized')).toBeNull()
  await expect(createAgreedReads(poolOf([tag('0x9'), () => AWAY])).readAgreedTag('finalized')).rejects.toThrow()
})
