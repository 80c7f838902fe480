import { expect, onTestFinished, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../../../tests/setup/rpc-proxy.ts'
import { answer, garbage, type Reaction, rpcError } from '../../../../tests/setup/rpc-reactions.ts'
import { createSystemClock } from '../app/system-clock.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import { detectChainId } from './detect-chain-id.ts'

const detect = (...nodes: readonly RpcProxy[]): Promise<number> =>
  detectChainId(
    nodes.map(({ url }) => url),
    createSystemClock(),
  )

/** A node that answers this when asked for its chain id, and nothing else. */
async function startNode(reaction: Reaction): Promise<RpcProxy> {
  const node = await startRpcProxy('http://127.0.0.1:9')
  node.on('eth_chainId', reaction)
  onTestFinished(() => node.stop())
  return node
}

const USELESS: readonly (readonly [string, Reaction, string])[] = [
  ['words', answer('mainnet'), 'not a chain id'],
  ['a number that is no hex', answer(1), 'not a chain id'],
  ['null', answer(null), 'not a chain id'],
  ['an object', answer({ chainId: '0x1' }), 'not a chain id'],
  ['zero', answer('0x0'), 'not a chain id'],
  ['more than can be counted', answer(`0x${'f'.repeat(64)}`), 'not a chain id'],
  ['an error', rpcError(-32601, 'no such method here'), 'no such method here'],
  ['HTML', garbage({ forward: false }), 'not JSON-RPC'],
]

test.each(USELESS)('after an answer with %s the next node is asked', async (_, reaction) => {
  expect(await detect(await startNode(reaction), await startNode(answer('0xa4b1')))).toBe(42_161)
})

test.each(USELESS)('a single node that answers with %s is named with its answer', async (_, reaction, words) => {
  const node = await startNode(reaction)
  const failure = await detect(node).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ChainUnavailable)
  expect(String(failure)).toContain(new URL(node.url).host)
  expect(String(failure)).toContain(words)
})

test('the first valid chain id decides, and no other node is asked', async () => {
  const [first, second] = [await startNode(answer('0x1')), await startNode(answer('0x5'))]
  expect(await detect(first, second)).toBe(1)
  expect(second.requestCount).toBe(0)
})
