import { developmentAccount, startTestChain } from '../../../../tests/setup/anvil.ts'
import { createSystemClock } from '../app/system-clock.ts'
import { type Hex, toAddress } from '../core/hex.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createLocalSigner } from '../signer/local-signer.ts'
import { type ChainHarness, describeChain } from './chain.suite.ts'
import { createEvmChain } from './evm-chain.ts'

const POOR_KEY: Hex = `0x${'5a'.repeat(32)}`
const silent: Telemetry = { count() {}, gauge() {}, observe() {}, log() {} }

function describeAnvil(name: string, urlsOf: (node: { rpcUrl: string; wsUrl: string }) => readonly string[]): void {
  describeChain(name, async (): Promise<ChainHarness> => {
    const node = await startTestChain()
    const chain = createEvmChain({
      chainId: 31337,
      urls: urlsOf(node),
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
      breakDown: () => node.stop(),
      async close() {
        await chain.close()
        await node.stop()
      },
    }
  })
}

describeAnvil('anvil over HTTP', ({ rpcUrl }) => [rpcUrl])
describeAnvil('anvil with a WebSocket for heads', ({ rpcUrl, wsUrl }) => [rpcUrl, wsUrl])
