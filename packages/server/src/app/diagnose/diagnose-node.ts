/** Whether an RPC node is usable, by itself and beside the others of its chain; and whether the signers have funds there. */
import { checksumAddress } from '../../api/contract/values/address.ts'
import type { OracleSettings } from '../../chain/oracle/gas-oracle.ts'
import type { NodeProbe } from '../../chain/probe-node.ts'
import type { SendUrls } from '../../config/values/send-urls.ts'
import { formatAmount } from '../../core/amount.ts'
import type { Finality } from '../../core/chain/finality.ts'
import { spellDuration } from '../../core/explain/spell-time.ts'
import { type Finding, failed, ok, warn } from './finding.ts'

export interface ChainSubject {
  readonly chainId: number | null
  readonly rpcUrls: readonly string[]
  readonly sendUrls: SendUrls
  readonly blockTimeMs: number
  readonly finality: Finality
  /** Null: none is configured. */
  readonly gasOracle: OracleSettings | null
}

type Answering = Extract<NodeProbe, { readonly type: 'answers' }>
export type Head = NonNullable<Answering['head']> & { readonly host: string }

const STALE_BLOCKS = 20
const MAX_BEHIND_MS = 60_000
const REQUIRED = ['eth_getTransactionCount', 'eth_estimateGas', 'eth_getTransactionReceipt', 'eth_sendRawTransaction']

/** `newest`: the newest head of all nodes that are on the same chain. */
export function judgeNode(probe: NodeProbe, chain: ChainSubject, newest: Head | null): readonly Finding[] {
  const name = `node ${probe.host}`
  if (probe.type === 'subscription') return [ok(name, 'only announces new blocks; not checked')]
  if (probe.type === 'unreachable') {
    return [
      failed(name, `does not respond: ${probe.message}`, 'start it, or fix DROVER_RPC_URL (address, path, access key)'),
    ]
  }
  return [
    judgeChain(name, probe, chain.chainId),
    judgeHead(name, probe, chain.blockTimeMs, newest),
    judgeMethods(name, probe),
    ...judgeFinality(name, probe, chain.finality),
    ...judgeBalances(probe),
  ]
}

function judgeChain(name: string, { chainId }: Answering, expected: number | null): Finding {
  if (expected === null || expected === chainId) return ok(name, `is on chain ${chainId}`)
  return failed(name, `is on chain ${chainId}, but ${expected} is configured`, 'fix DROVER_CHAIN_ID or DROVER_RPC_URL')
}

function judgeHead(name: string, probe: Answering, blockTimeMs: number, newest: Head | null): Finding {
  const { head, missingBlocks } = probe
  const check = `${name}: head`
  if (head === null) return failed(check, 'cannot read its newest block', 'ask the operator of the RPC node')
  const inSync = 'wait until it is in sync, or remove it from DROVER_RPC_URL'
  if (missingBlocks !== null && missingBlocks > STALE_BLOCKS)
    return failed(check, `it is still syncing: ${missingBlocks} blocks are missing`, inSync)
  // By the time of the blocks: the nodes are not asked at the same moment.
  if (newest !== null && newest.number > head.number && newest.timestampMs - head.timestampMs > MAX_BEHIND_MS) {
    const behind = `${newest.number - head.number} blocks (${spellDuration(newest.timestampMs - head.timestampMs)})`
    return failed(check, `it is ${behind} behind ${newest.host}`, inSync)
  }
  const ageMs = Date.now() - head.timestampMs
  const detail = `block ${head.number}, ${spellDuration(ageMs)} old`
  // A chain that makes blocks only for transactions looks the same, so this is not a failure.
  if (ageMs <= STALE_BLOCKS * blockTimeMs + 60_000) return ok(check, detail)
  return warn(check, detail, 'check that the RPC node is in sync and that blockTime is right')
}

/** Without the tag, nothing on the chain would ever be final. */
function judgeFinality(name: string, { lackingTags }: Answering, finality: Finality): readonly Finding[] {
  if (finality.type === 'confirmations' || !lackingTags.includes(finality.type)) return []
  return [
    failed(
      `${name}: finality`,
      `it does not know the block \`${finality.type}\`, so no transaction would become final`,
      'set DROVER_FINALITY to a number of confirmations, or use another RPC node',
    ),
  ]
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
