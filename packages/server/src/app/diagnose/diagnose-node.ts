/** Whether an RPC node is usable, and whether the signers have funds there. */
import { checksumAddress } from '../../api/contract/values/address.ts'
import { type NodeProbe, probeNode } from '../../chain/probe-node.ts'
import type { SendUrls } from '../../config/values/send-urls.ts'
import { formatAmount } from '../../core/amount.ts'
import { spellDuration } from '../../core/explain/spell-time.ts'
import type { Address } from '../../core/hex.ts'
import { createSystemClock } from '../system-clock.ts'
import { type Finding, failed, ok, warn } from './finding.ts'

export interface ChainSubject {
  readonly chainId: number | null
  readonly rpcUrls: readonly string[]
  readonly sendUrls: SendUrls
  readonly blockTimeMs: number
}

const STALE_BLOCKS = 20
const REQUIRED = ['eth_getTransactionCount', 'eth_estimateGas', 'eth_getTransactionReceipt', 'eth_sendRawTransaction']

export async function diagnoseNode(
  url: string,
  chain: ChainSubject,
  addresses: readonly Address[],
): Promise<readonly Finding[]> {
  const probe = await probeNode(url, addresses, createSystemClock())
  const name = `node ${probe.host}`
  if (probe.type === 'subscription') return [ok(name, 'only announces new blocks; not checked')]
  if (probe.type === 'unreachable') {
    return [
      failed(name, `does not respond: ${probe.message}`, 'start it, or fix DROVER_RPC_URL (address, path, access key)'),
    ]
  }
  return [
    judgeChain(name, probe, chain.chainId),
    judgeHead(name, probe, chain.blockTimeMs),
    judgeMethods(name, probe),
    ...judgeBalances(probe),
  ]
}

type Answering = Extract<NodeProbe, { readonly type: 'answers' }>

function judgeChain(name: string, { chainId }: Answering, expected: number | null): Finding {
  if (expected === null || expected === chainId) return ok(name, `is on chain ${chainId}`)
  return failed(name, `is on chain ${chainId}, but ${expected} is configured`, 'fix DROVER_CHAIN_ID or DROVER_RPC_URL')
}

function judgeHead(name: string, { head }: Answering, blockTimeMs: number): Finding {
  if (head === null) return failed(`${name}: head`, 'cannot read its newest block', 'ask the operator of the RPC node')
  const ageMs = Date.now() - head.timestampMs
  const detail = `block ${head.number}, ${spellDuration(ageMs)} old`
  // A chain that makes blocks only for transactions looks the same, so this is not a failure.
  if (ageMs <= STALE_BLOCKS * blockTimeMs + 60_000) return ok(`${name}: head`, detail)
  return warn(`${name}: head`, detail, 'check that the RPC node is in sync and that blockTime is right')
}

function judgeMethods(name: string, { lacking }: Answering): Finding {
  const missing = lacking.filter((method) => REQUIRED.includes(method))
  if (missing.length > 0)
    return failed(`${name}: methods`, `lacks ${missing.join(', ')}`, 'enable them at the RPC node or provider')
  if (lacking.length === 0) return ok(`${name}: methods`, 'all required methods work')
  return warn(
    `${name}: methods`,
    `lacks ${lacking.join(', ')}`,
    'Drover works without them at a higher cost; enable them if you can',
  )
}

function judgeBalances({ balances, chainId }: Answering): readonly Finding[] {
  return [...balances].map(([address, wei]) => {
    const name = `balance ${checksumAddress(address)}`
    if (wei === null) return warn(name, `cannot be read on chain ${chainId}`, 'ask the operator of the RPC node')
    return wei > 0n
      ? ok(name, `${formatAmount(wei)} on chain ${chainId}`)
      : warn(name, `no funds on chain ${chainId}`, 'send funds to it: it cannot pay for gas')
  })
}
