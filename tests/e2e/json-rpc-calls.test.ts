/** The endpoint call by call: what is answered, what is refused and with which code, in batches and over WebSockets. */
import { once } from 'node:events'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { developmentAccount } from '../setup/anvil.ts'
import { revertingCode } from '../setup/contracts.ts'
import { eventually } from '../setup/eventually.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'
import { placeCode } from '../setup/place-code.ts'

const UNKNOWN_HASH = `0x${'ab'.repeat(32)}`
const REVERTING = '0x00000000000000000000000000000000000c0de1'
const MONEY = /^insufficient funds for gas \* price \+ value/
const FREE = /^max fee per gas less than block base fee: /
const LIST = [{ address: `0x${'0a'.repeat(20)}`, storageKeys: [`0x${'01'.repeat(32)}`] }]
let service: JsonRpcService

beforeAll(async () => {
  service = await startJsonRpcService({ env: { DROVER_RPC_ALLOWED_METHODS: 'anvil_nodeInfo' } })
  await placeCode(service, REVERTING, revertingCode('closed on Sundays'))
})

afterAll(() => service.close())

function transfer(more: object = {}): object {
  return { from: service.fast.address, to: service.stranger.address, value: '0x1', ...more }
}

function call(id: unknown, method: string, ...params: readonly unknown[]): object {
  return { jsonrpc: '2.0', id, method, params }
}

describe('codes', () => {
  test.each<[string, () => object, number, RegExp]>([
    ['an unknown field', () => transfer({ blobs: ['0x00'] }), -32602, /unknown field: blobs/],
    ['a decimal', () => transfer({ value: '10' }), -32602, /value must be a 0x-hex quantity/],
    ['another chain', () => transfer({ chainId: '0x1' }), -32602, /chainId is 1, .* chain 31337/],
    ['a bad address', () => transfer({ to: '0x12' }), -32602, /to must be 0x followed by 40 hex digits/],
    ['two different data', () => transfer({ data: '0x01', input: '0x02' }), -32602, /data and input/],
    ['no access list', () => transfer({ accessList: [{}] }), -32602, /accessList\[0\]\.address/],
    ['two prices', () => transfer({ gasPrice: '0x1', maxFeePerGas: '0x1' }), -32602, /^both gasPrice and/],
    ['a type that is not signed', () => transfer({ type: '0x3' }), -32602, /type 0x3 is not supported/],
    ['a price of another type', () => transfer({ type: 0, maxFeePerGas: '0x1' }), -32602, /type 0x0 takes gasPrice/],
    ['no target', () => ({ from: service.fast.address }), -32602, /to is required/],
    ['too little gas', () => transfer({ gas: '0x1' }), -32000, /intrinsic gas too low/],
    ['too much money', () => transfer({ value: '0xffffffffffffffffffffffff' }), -32000, MONEY],
    ['a price of nothing', () => transfer({ from: service.stable.address, gasPrice: '0x0' }), -32000, FREE],
    ['a stranger', () => transfer({ from: service.stranger.address }), -32000, /unknown account/],
    ['a revert', () => transfer({ to: REVERTING }), 3, /^execution reverted: closed on Sundays$/],
  ])('%s', async (_name, params, code, message) => {
    const answer = await service.rpc('eth_sendTransaction', params())
    expect(answer).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code, message: expect.stringMatching(message) } })
    expect(answer).not.toHaveProperty('result')
    if (code === 3) expect(answer.error.data).toMatch(/^0x08c379a0/)
  })

  test.each<[string, unknown, unknown, number]>([
    ['no JSON', '{"jsonrpc"', null, -32700],
    ['nothing', '', null, -32700],
    ['an empty batch', [], null, -32600],
    ['no object', 7, null, -32600],
    ['another version', { jsonrpc: '1.0', id: 3, method: 'eth_chainId' }, 3, -32600],
    ['no method', { jsonrpc: '2.0', id: 'x' }, 'x', -32600],
    ['an id that is not exact', '{"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_chainId"}', null, -32600],
    ['named parameters', { jsonrpc: '2.0', id: 4, method: 'eth_chainId', params: { a: 1 } }, 4, -32602],
    [
      'deep parameters',
      `{"jsonrpc":"2.0","id":5,"method":"eth_call","params":${'['.repeat(9_999)}${']'.repeat(9_999)}}`,
      5,
      -32602,
    ],
    ['a method that is not', call(6, 'eth_nothing'), 6, -32601],
    ['a prototype', call(6, 'constructor'), 6, -32601],
    ['what only a node may do', call(7, 'anvil_setBalance', '0x00', '0x1'), 7, -32601],
    ['keys of the node', call(8, 'personal_listAccounts'), 8, -32601],
    ['a message to sign', call(9, 'personal_sign', '0x00', '0x00'), 9, 4200],
    ['bytes to sign', call(10, 'eth_signTransaction', {}), 10, 4200],
    ['a subscription over HTTP', call(11, 'eth_subscribe', 'newHeads'), 11, -32000],
    ['a hash that is none', call(12, 'eth_getTransactionReceipt', '0x12'), 12, -32602],
    ["the node's own error", call(13, 'eth_getBlockByNumber', 'nonsense', false), 13, -32602],
  ])('%s', async (_name, body, id, code) => {
    const answer = await service.drover.post('/rpc', typeof body === 'string' ? body : JSON.stringify(body))
    expect(answer).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id, error: { code } } })
    expect(answer.headers.get('content-type')).toContain('application/json')
  })

  test('the chain in the path', async () => {
    const own = await service.drover.post('/rpc/31337', call(1, 'eth_chainId'))
    expect(own.body).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })
    const other = await service.drover.post('/rpc/5', call(1, 'eth_chainId'))
    expect(other).toMatchObject({ status: 200, body: { id: 1, error: { code: -32600 } } })
    expect(other.body.error.message).toContain('31337')
  })

  test('another HTTP method, and another content type', async () => {
    const got = await service.drover.get('/rpc')
    expect(got).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
    expect(got.headers.get('allow')).toBe('POST')
    const text = await service.drover.post('/rpc', '{}', { 'content-type': 'text/plain' })
    expect(text).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
  })
})

describe('calls', () => {
  test('ids are returned unchanged, and notifications get no answer', async () => {
    for (const id of ['a', '', 0, -1, 1.5, null]) {
      expect(await service.call(call(id, 'net_version'))).toEqual({ jsonrpc: '2.0', id, result: '31337' })
    }
    const silent = await service.drover.post('/rpc', { jsonrpc: '2.0', method: 'eth_chainId' })
    expect(silent).toMatchObject({ status: 204, body: '' })
  })

  test('a method that was added to the list is passed on', async () => {
    expect((await service.rpc('anvil_nodeInfo')).result).toHaveProperty('currentBlockNumber')
  })

  test('a mixed batch keeps its order, and its sends get nonces in that order', async () => {
    const sends = [1, 2, 3].map((value) => call(value, 'eth_sendTransaction', transfer({ value: `0x${value}` })))
    const answers = await service.call([
      call('head', 'eth_blockNumber'),
      sends[0],
      { jsonrpc: '2.0', method: 'eth_chainId' },
      sends[1],
      17,
      call('unknown', 'eth_getTransactionReceipt', UNKNOWN_HASH),
      call('none', 'debug_traceBlock'),
      sends[2],
    ])
    expect(answers.map(({ id }: { id: unknown }) => id)).toEqual(['head', 1, 2, null, 'unknown', 'none', 3])
    expect(answers).toMatchObject([
      {},
      {},
      {},
      { error: { code: -32600 } },
      { result: null },
      { error: { code: -32601 } },
      {},
    ])
    const hashes = [1, 2, 6].map((place) => answers[place].result)
    const nonces = await Promise.all(
      hashes.map(async (hash) => Number((await service.rpc('eth_getTransactionByHash', hash)).result.nonce)),
    )
    expect(nonces).toEqual([0, 1, 2].map((step) => (nonces[0] ?? 0) + step))
  })

  test.each<[string, object, object]>([
    ['nulls and empty fields', { data: '', gas: null, nonce: null, accessList: [], blobs: null }, { type: '0x2' }],
    ['a numeric type', { type: 2 }, { type: '0x2' }],
    ['an older type without a price', { type: '0x0' }, { type: '0x0' }],
    ['a lone maximum', { maxFeePerGas: '0x77359400' }, { type: '0x2', maxFeePerGas: '0x77359400' }],
    ['a lone tip', { maxPriorityFeePerGas: '0x3b9aca01' }, { type: '0x2', maxPriorityFeePerGas: '0x3b9aca01' }],
    ['an access list', { accessList: LIST }, { type: '0x2', accessList: LIST }],
    ['an access list and a price', { accessList: LIST, gasPrice: '0x77359400' }, { type: '0x1', accessList: LIST }],
  ])('%s: sent as a node would send it', async (_name, more, expected) => {
    const { result: hash, error } = await service.rpc('eth_sendTransaction', transfer(more))
    expect(error).toBeUndefined()
    const seen = await eventually(
      () => service.chain.rpc('eth_getTransactionReceipt', [hash]),
      (receipt) => receipt !== null,
    )
    expect(seen).toMatchObject({ status: '0x1' })
    expect((await service.rpc('eth_getTransactionByHash', hash)).result).toMatchObject(expected)
  })

  test('accounts come in the order in which they were configured', async () => {
    const { result } = await service.rpc('eth_accounts')
    expect(result).toEqual([service.fast, service.stable].map(({ address }) => address.toLowerCase()))
  })

  test('a batch may have a thousand calls; a longer one is refused in an array', async () => {
    const calls = (length: number) => Array.from({ length }, (_, id) => call(id, 'eth_chainId'))
    const answers = await service.call(calls(1_000))
    expect(answers).toHaveLength(1_000)
    expect(answers[999]).toEqual({ jsonrpc: '2.0', id: 999, result: '0x7a69' })
    expect(await service.call(calls(1_001))).toEqual([
      { jsonrpc: '2.0', id: 0, error: { code: -32600, message: expect.stringContaining('batch too large') } },
    ])
  })

  test('the same idempotency key gives the same transaction; with another body it is refused', async () => {
    const headers = { 'idempotency-key': 'invoice 17' }
    const body = call(1, 'eth_sendTransaction', transfer({ value: '0x11' }))
    const first = await service.call(body, headers)
    expect(first.result).toMatch(/^0x/)
    expect(await service.call(body, headers)).toEqual(first)
    const other = await service.call(call(1, 'eth_sendTransaction', transfer({ value: '0x12' })), headers)
    expect(other.error).toMatchObject({ code: -32000, data: { code: 'idempotency_conflict' } })
    const pair = [body, { ...body, id: 2 }]
    const twice = await service.call(pair, headers)
    expect(await service.call(pair, headers)).toEqual(twice)
    expect(twice[0].result).not.toBe(twice[1].result)
  })

  test('the pending nonce of a managed account counts what Drover has assigned', async () => {
    const before = Number((await service.rpc('eth_getTransactionCount', service.fast.address, 'pending')).result)
    await service.rpc('eth_sendTransaction', transfer())
    const after = Number((await service.rpc('eth_getTransactionCount', service.fast.address, 'pending')).result)
    expect(after).toBe(before + 1)
  })

  test('signed bytes of other accounts are passed on, those of a managed account are refused', async () => {
    const sign = (index: number) =>
      privateKeyToAccount(developmentAccount(index).privateKey).signTransaction({
        chainId: 31_337,
        nonce: 0,
        to: service.stranger.address,
        gas: 21_000n,
        type: 'eip1559',
        maxFeePerGas: 3_000_000_000n,
        maxPriorityFeePerGas: 1n,
      })
    expect((await service.rpc('eth_sendRawTransaction', await sign(2))).result).toMatch(/^0x/)
    const own = await service.rpc('eth_sendRawTransaction', await sign(0))
    expect(own.error).toMatchObject({ code: -32000, message: expect.stringContaining('is managed by Drover') })
    expect((await service.rpc('eth_sendRawTransaction', '0x02')).error.code).toBe(-32602)
  })
})

describe('WebSockets', () => {
  async function open(path = '', options = {}): Promise<WebSocket> {
    const socket = new WebSocket(service.socketUrl + path, options)
    await once(socket, 'open')
    return socket
  }

  async function ask(socket: WebSocket, body: unknown): Promise<Record<string, unknown>> {
    socket.send(typeof body === 'string' ? body : JSON.stringify(body))
    const [data] = await once(socket, 'message')
    return JSON.parse(String(data))
  }

  test('answer calls and batches, and refuse anything else', async () => {
    const socket = await open('/31337')
    expect(await ask(socket, call(1, 'eth_chainId'))).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })
    expect(await ask(socket, [call(1, 'eth_chainId'), call(2, 'eth_nothing')])).toHaveLength(2)
    expect(await ask(socket, '{')).toMatchObject({ id: null, error: { code: -32700 } })
    socket.send(Buffer.from(JSON.stringify(call(4, 'eth_chainId'))), { binary: true })
    const [binary] = await once(socket, 'message')
    expect(JSON.parse(String(binary))).toEqual({ jsonrpc: '2.0', id: 4, result: '0x7a69' })
    const sent = await ask(socket, call(3, 'eth_sendTransaction', transfer()))
    expect(sent.result).toMatch(/^0x[0-9a-f]{64}$/)
    socket.close()
  })

  test('send new heads until unsubscribed, and refuse unknown subscriptions', async () => {
    const socket = await open()
    const { result: id } = await ask(socket, call(1, 'eth_subscribe', 'newHeads'))
    const [data] = await once(socket, 'message')
    const told = JSON.parse(String(data))
    expect(told).toMatchObject({ method: 'eth_subscription', params: { subscription: id, result: {} } })
    expect(told.params.result).not.toHaveProperty('transactions')
    expect(await ask(socket, call(2, 'eth_unsubscribe', id))).toMatchObject({ id: 2, result: true })
    expect(await ask(socket, call(3, 'eth_unsubscribe', id))).toMatchObject({ id: 3, error: { code: -32000 } })
    expect(await ask(socket, call(4, 'eth_subscribe', 'nothing'))).toMatchObject({ id: 4, error: { code: -32602 } })
    socket.close()
  })

  test('send hashes of pending transactions', async () => {
    const socket = await open()
    const { result: id } = await ask(socket, call(1, 'eth_subscribe', 'newPendingTransactions'))
    const heard = new Set<unknown>()
    socket.on('message', (data) => {
      const { params } = JSON.parse(String(data))
      expect(params.subscription).toBe(id)
      heard.add(params.result)
    })
    // The node's filter is made behind the answer, and what came before it is not told: one of several has to be.
    const sent: unknown[] = []
    await eventually(
      async () => {
        sent.push((await service.rpc('eth_sendTransaction', transfer())).result)
        return sent.filter((hash) => heard.has(hash))
      },
      (told) => told.length > 0,
      { everyMs: 300 },
    )
    socket.close()
  })

  test.each<[string, string, object, number]>([
    ['another origin', '', { origin: 'https://evil.example' }, 403],
    ['another name', '', { headers: { host: 'evil.example' } }, 421],
    ['another path', 's', {}, 404],
    ['another chain', '/5', {}, 404],
  ])('are not opened from %s', async (_name, path, options, status) => {
    const socket = new WebSocket(service.socketUrl + path, options)
    socket.on('error', () => {})
    const [, response] = await once(socket, 'unexpected-response')
    expect(response.statusCode).toBe(status)
    response.destroy()
  })
})
