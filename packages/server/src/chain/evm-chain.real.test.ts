import { describe, expect, onTestFinished, test } from 'vitest'
import { developmentAccount, startTestChain, type TestChain } from '../../../../tests/setup/anvil.ts'
import { startRpcProxy } from '../../../../tests/setup/rpc-proxy.ts'
import { rpcError } from '../../../../tests/setup/rpc-reactions.ts'
import { createSystemClock } from '../app/system-clock.ts'
import { type Hex, toAddress } from '../core/hex.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createLocalSigner } from '../signer/local-signer.ts'
import { type ChainHarness, describeChain, UNTRIED_DATA } from '../testing/chain/chain.suite.ts'
import { createEvmChain, type EvmChain } from './evm-chain.ts'

const POOR_KEY: Hex = `0x${'5a'.repeat(32)}`
const silent: Telemetry = { count() {}, gauge() {}, observe() {}, log() {} }

function describeAnvil(name: string, urlsOf: (node: { rpcUrl: string; wsUrl: string }) => readonly string[]): void {
  describeChain(name, async (): Promise<ChainHarness> => {
    const node = await startTestChain()
    const proxy = await startRpcProxy(node.rpcUrl)
    proxy.on('eth_estimateGas', ({ params: [call] }) =>
      (call as { readonly data?: Hex }).data === UNTRIED_DATA ? rpcError(-32000, 'header not found') : undefined,
    )
    const chain = createEvmChain({
      chainId: 31337,
      urls: urlsOf({ rpcUrl: proxy.url, wsUrl: node.wsUrl }),
      clock: createSystemClock(),
      telemetry: silent,
      pollIntervalMs: 100,
    })
    const account = developmentAccount(0)
    const signer = createLocalSigner([account.privateKey, POOR_KEY])
    const poor = createLocalSigner([POOR_KEY]).addresses()[0]
    if (poor === undefined) throw new Error('a key gives an address')
    return {
      chain,
      signer,
      rich: toAddress(account.address),
      poor,
      mine: () => node.mine(),
      reorg: (depth) => node.reorg(depth),
      breakDown: async () => proxy.setDown(true),
      async close() {
        await chain.close()
        await proxy.stop()
        await node.stop()
      },
    }
  })
}

describeAnvil('anvil over HTTP', ({ rpcUrl }) => [rpcUrl])
describeAnvil('anvil with a WebSocket for heads', ({ rpcUrl, wsUrl }) => [rpcUrl, wsUrl])

describe('a WebSocket', () => {
  async function startNode(port = 0): Promise<TestChain> {
    const node = await startTestChain({ port })
    onTestFinished(() => node.stop())
    return node
  }
  /** Polls once, and then not for an hour. */
  function openChain(chainId: number, urls: readonly string[]): EvmChain {
    const clock = createSystemClock()
    const chain = createEvmChain({ chainId, urls, clock, telemetry: silent, pollIntervalMs: 3_600_000 })
    onTestFinished(() => chain.close())
    return chain
  }

  test('reports heads long before polling would, and never for another chain', async () => {
    const node = await startNode()
    const chain = openChain(31337, [node.rpcUrl, node.wsUrl])
    const wrong = openChain(5, [node.rpcUrl, node.wsUrl])
    let misled = 0
    wrong.onHeadHint(() => misled++)
    const heads = createCounter()
    chain.onHeadHint(heads.increase)
    // One by the first poll, one by the subscription itself.
    await heads.reach(2)
    await node.mine()
    await heads.reach(3)
    await node.mine(2)
    await heads.reach(5)
    expect(misled).toBe(0)
  })

  test('is retried until it connects, and again when it closes', async () => {
    const node = await startNode()
    const gone = await startNode()
    await gone.stop()
    const heads = createCounter()
    openChain(31337, [node.rpcUrl, gone.wsUrl]).onHeadHint(heads.increase)
    await heads.reach(1)
    const back = await startNode(gone.port)
    await heads.reach(2)
    await back.stop()
    await startNode(gone.port)
    await heads.reach(3)
  })
})

function createCounter() {
  let count = 0
  const waiting = new Map<number, () => void>()
  return {
    increase() {
      count++
      waiting.get(count)?.()
    },
    reach: (wanted: number) =>
      count >= wanted ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(wanted, resolve)),
  }
}
