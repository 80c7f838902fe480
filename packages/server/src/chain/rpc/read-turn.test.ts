import { describe, expect, test } from 'vitest'
import type { RpcReply, RpcRequest } from './read-reply.ts'
import { createReadTurn } from './read-turn.ts'

const count = (address: string): RpcRequest => ({ method: 'eth_getTransactionCount', params: [address, 'latest'] })
const call: RpcRequest = { method: 'eth_estimateGas', params: [] }

function setUp(batchSize = 100, isRefused = false) {
  const sent: (readonly RpcRequest[])[] = []
  const send = createReadTurn({
    send: async (requests) => {
      sent.push(requests)
      return requests.map(({ params }): RpcReply => ({ type: 'result', result: params[0] }))
    },
    batchSize: () => batchSize,
    isRefused: () => isRefused,
  })
  const ask = async (...addresses: readonly string[]) =>
    (await send(addresses.map(count), false)).map((reply) => reply.type === 'result' && reply.result)
  return { sent, send, ask }
}

describe('reads of one turn', () => {
  test('leave together, and each gets its own answers', async () => {
    const { sent, ask } = setUp()
    expect(await Promise.all([ask('a', 'b'), ask('c'), ask('d')])).toEqual([['a', 'b'], ['c'], ['d']])
    expect(sent.map((requests) => requests.length)).toEqual([4])
  })

  test('those of the next turn leave on their own', async () => {
    const { sent, ask } = setUp()
    await ask('a')
    await ask('b')
    expect(sent).toHaveLength(2)
  })

  test('no request grows beyond what the node takes', async () => {
    const { sent, ask } = setUp(4)
    await Promise.all([ask('a', 'b'), ask('c', 'd'), ask('e')])
    expect(sent.map((requests) => requests.length)).toEqual([2, 3])
  })

  test('slow calls are not batched with others', async () => {
    const { sent, send, ask } = setUp()
    await Promise.all([ask('a'), send([call], false), send([call, count('b')], false)])
    expect(sent.map((requests) => requests.map(({ method }) => method))).toEqual([
      ['eth_estimateGas'],
      ['eth_estimateGas', 'eth_getTransactionCount'],
      ['eth_getTransactionCount'],
    ])
  })

  test('a rate-limited node is tried with the smallest request', async () => {
    const { sent, ask } = setUp(100, true)
    await Promise.all([ask('a'), ask('b')])
    expect(sent.map((requests) => requests.length)).toEqual([1, 1])
  })

  test('a failure reaches all of them', async () => {
    const send = createReadTurn({
      send: () => Promise.reject(new Error('broken')),
      batchSize: () => 100,
      isRefused: () => false,
    })
    const results = await Promise.allSettled([send([count('a')], true), send([count('b')], true)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
