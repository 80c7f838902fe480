import { decodeTransaction } from '../../../server/src/chain/decode-transaction.ts'
import { createEvmChain } from '../../../server/src/chain/evm-chain.ts'
import type { Address, Hex } from '../../../server/src/core/hex.ts'
import { createLocalSigner } from '../../../server/src/signer/local-signer.ts'
import {
  type ChainHarness,
  describeChain,
  REVERTING_CODE,
  UNTRIED_DATA,
} from '../../../server/src/testing/chain/chain.suite.ts'
import { createSilentTelemetry } from '../../../server/src/testing/telemetry/recording-telemetry.ts'
import { createChance } from '../chance.ts'
import { createProcess, EPOCH_MS } from '../cluster/process.ts'
import { createTimeline } from '../timeline.ts'
import { GOOD_MOOD } from './endpoint-mood.ts'
import { createNetwork } from './network.ts'
import { createRpcPost, type SimEndpoint } from './rpc-post.ts'

const KEYS: readonly Hex[] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
const signer = createLocalSigner(KEYS)

function addressAt(index: number): Address {
  const address = signer.addresses()[index]
  if (address === undefined) throw new Error('two keys give two addresses')
  return address
}

const RULES = {
  gas: 21_000n,
  tryCall: ({ data }: { readonly data: Hex }) => {
    if (data === UNTRIED_DATA) return { code: -32_000, message: 'header not found' }
    if (data !== REVERTING_CODE) return null
    return { code: 3, message: 'execution reverted: nope', data: `0x${data.slice(22)}` }
  },
}

/** The real chain over simulated RPC nodes does what it does over real ones. */
describeChain('the simulated network', async (): Promise<ChainHarness> => {
  const timeline = createTimeline()
  const process = createProcess(timeline, { skewMs: 0, rate: 1 })
  const network = createNetwork({
    chainId: 1337,
    nodes: [{}, {}],
    decode: decodeTransaction,
    now: () => EPOCH_MS + timeline.now(),
    balances: { [addressAt(0)]: 10n ** 20n },
    safeDepth: 1,
    finalizedDepth: 2,
    execute: ({ data }) => ({ succeeded: data !== REVERTING_CODE, gasUsed: 21_000n }),
  })
  const endpoints = network.views.map((view): SimEndpoint => ({ view, mood: GOOD_MOOD, chance: createChance('suite') }))
  // Time passes by itself, so that what waits for a timer goes on.
  let isOpen = true
  const clockwork = (async () => {
    while (isOpen) {
      await timeline.advance(50)
      await new Promise<void>((resolve) => void setImmediate(resolve))
    }
  })()
  const chain = createEvmChain({
    chainId: 1337,
    urls: ['http://rpc-0.example', 'http://rpc-1.example'],
    clock: process.clock,
    telemetry: createSilentTelemetry(),
    pollIntervalMs: 100,
    blockTimeMs: 1_000,
    openPost: ({ url, timeoutMs }) => {
      const endpoint = endpoints[Number(url.hostname.slice(4, 5))]
      if (endpoint === undefined) throw new Error('there are two RPC nodes')
      const ports = { network, endpoint, process, timeline, timeoutMs, rules: RULES }
      return createRpcPost({ ...ports, isCut: () => false, onSend: () => {} })
    },
  })
  return {
    chain,
    signer,
    rich: addressAt(0),
    poor: addressAt(1),
    mine: async () => void network.mine(),
    reorg: async (depth) => network.reorg(depth, depth, 'dropped'),
    breakDown: async () => {
      for (const endpoint of endpoints) endpoint.mood = { ...GOOD_MOOD, unreached: 1 }
    },
    close: async () => {
      isOpen = false
      await clockwork
      await chain.close()
    },
  }
})
