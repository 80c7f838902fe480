import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestChain, type TestChain } from './anvil.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'
import { answer, change, drop, garbage, httpStatus, nullResult, omit, rpcError } from './rpc-reactions.ts'

let chain: TestChain
let proxy: RpcProxy

beforeAll(async () => {
  chain = await startTestChain()
  proxy = await startRpcProxy(chain.rpcUrl)
})

afterAll(async () => {
  await proxy.stop()
  await chain.stop()
})

beforeEach(() => proxy.reset())

function post(body: unknown): Promise<Response> {
  return fetch(proxy.url, { method: 'POST', body: JSON.stringify(body) })
}

function request(method: string, id: number, params: readonly unknown[] = []) {
  return { jsonrpc: '2.0', id, method, params }
}

async function ask(method: string, params: readonly unknown[] = []): Promise<Record<string, unknown>> {
  return (await (await post(request(method, 7, params))).json()) as Record<string, unknown>
}

describe('without faults', () => {
  test('calls and batches pass through and are counted', async () => {
    expect(await ask('eth_chainId')).toEqual({ jsonrpc: '2.0', id: 7, result: '0x7a69' })
    const batch = [request('eth_chainId', 2), request('eth_blockNumber', 1), request('no_such', 3)]
    const replies = await (await post(batch)).json()
    expect(replies).toMatchObject([{ id: 2, result: '0x7a69' }, { id: 1 }, { id: 3, error: { code: -32_601 } }])
    expect([proxy.count('eth_chainId'), proxy.count('no_such'), proxy.requestCount]).toEqual([2, 1, 2])
  })
})

describe('faults', () => {
  test('the answer is lost after the node has acted', async () => {
    const before = await chain.blockNumber()
    proxy.next('anvil_mine', drop({ forward: true }))
    await expect(ask('anvil_mine', ['0x1'])).rejects.toThrow('fetch failed')
    expect(await chain.blockNumber()).toBe(before + 1)
  })

  test('the request is lost before the node sees it', async () => {
    const before = await chain.blockNumber()
    proxy.next('anvil_mine', drop({ forward: false }))
    await expect(ask('anvil_mine', ['0x1'])).rejects.toThrow('fetch failed')
    expect(await chain.blockNumber()).toBe(before)
  })

  test('the reply is a status, or no JSON, for a whole batch', async () => {
    proxy.next('eth_chainId', httpStatus(429, { headers: { 'retry-after': '2' } }))
    const limited = await post([request('eth_blockNumber', 1), request('eth_chainId', 2)])
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2'])
    proxy.next('eth_chainId', garbage({ forward: true }))
    await expect(ask('eth_chainId')).rejects.toThrow('JSON')
    expect(await ask('eth_chainId')).toMatchObject({ result: '0x7a69' })
  })

  test('a batch has one item answered, one failed, one changed, one left out, one passed', async () => {
    proxy.on('eth_getTransactionReceipt', nullResult)
    proxy.on('eth_sendRawTransaction', rpcError(-32_000, 'already known'))
    proxy.on(
      'eth_blockNumber',
      change((result) => `0x${(Number(result) + 16).toString(16)}`),
    )
    proxy.on('eth_gasPrice', omit({ forward: true }))
    const batch = [
      request('eth_getTransactionReceipt', 1),
      request('eth_sendRawTransaction', 2),
      request('eth_blockNumber', 3),
      request('eth_gasPrice', 4),
      request('eth_chainId', 5),
    ]
    const head = `0x${((await chain.blockNumber()) + 16).toString(16)}`
    expect(await (await post(batch)).json()).toEqual([
      { jsonrpc: '2.0', id: 1, result: null },
      { jsonrpc: '2.0', id: 2, error: { code: -32_000, message: 'already known' } },
      { jsonrpc: '2.0', id: 3, result: head },
      { jsonrpc: '2.0', id: 5, result: '0x7a69' },
    ])
  })

  test('an answer is held until it is released', async () => {
    const before = await chain.blockNumber()
    const held = proxy.hold('anvil_mine', 'after')
    const asked = ask('anvil_mine', ['0x1'])
    expect(await held.arrived).toMatchObject({ method: 'anvil_mine', params: ['0x1'] })
    expect(await chain.blockNumber()).toBe(before + 1)
    held.release()
    expect(await asked).toMatchObject({ result: null })
  })

  test('a request is held until it is released, optionally with another reaction', async () => {
    const held = proxy.hold('eth_chainId', 'before')
    const asked = ask('eth_chainId')
    await held.arrived
    held.release(answer('0x1'))
    expect(await asked).toMatchObject({ result: '0x1' })
  })

  test('hooks can decide by the call, are consumed in order and removed', async () => {
    const remove = proxy.on('*', (call) => (call.params[0] === 'odd' ? answer('odd') : undefined))
    expect(await ask('eth_chainId', ['odd'])).toMatchObject({ result: 'odd' })
    expect(await ask('eth_chainId')).toMatchObject({ result: '0x7a69' })
    proxy.next('eth_chainId', answer('once'))
    expect(await ask('eth_chainId', ['odd'])).toMatchObject({ result: 'once' })
    remove()
    expect(await ask('eth_chainId')).toMatchObject({ result: '0x7a69' })
  })

  test('the node is down and comes back', async () => {
    proxy.setDown(true)
    await expect(ask('eth_chainId')).rejects.toThrow('fetch failed')
    proxy.setDown(false)
    expect(await ask('eth_chainId')).toMatchObject({ result: '0x7a69' })
  })
})

test('a number of calls can be awaited', async () => {
  const seen = proxy.awaitCalls('eth_chainId', 2)
  await Promise.all([ask('eth_chainId'), ask('eth_chainId')])
  await seen
})
