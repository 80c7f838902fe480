/**
 * What a person should do about each possible problem. The one place for these words: `explain`, `/readyz`, the page,
 * the log and the table in docs/operations.md all use them.
 */
import { formatAmount } from '../amount.ts'
import type { ChainState } from '../chain/chain-health.ts'
import type { FeeLimit } from '../fees/fee-limit.ts'
import type { LaneProblemCode } from '../lane/lane-problem.ts'

export const DATABASE_STEP =
  'Check that PostgreSQL is running and that this host can reach it (`drover doctor`). Nothing is lost, and Drover continues by itself.'

export const SILENT_NODE_STEP =
  'Start it again, or check its log. Until then, its signers run only where another live node has their keys.'

export const KEY_STORE_STEP =
  'Check that the key store is running and that Drover may use it. Nothing is lost, and Drover continues by itself.'

export const SEND_ENDPOINT_STEP =
  'Check the endpoint (`drover doctor`), or change `rpcSendUrl` and restart. Nothing is lost, and Drover continues by itself once it responds.'

export const CHAIN_STEPS: Readonly<Partial<Record<ChainState, string>>> = {
  unreachable:
    'Check that the RPC node is running and that its URL (`rpcUrl`) is right, or add a second URL. Drover continues by itself.',
  standing:
    'Compare with a block explorer. If it shows new blocks, this RPC node is cut off: use another one. If not, wait. You do not have to send anything again.',
  rewound:
    'Check that the RPC URL points to the right chain. If a private chain was reset, start it under another chain id. If not, wait.',
}

/** The other transaction may still be dropped by a reorg. */
export const FOREIGN_NOT_FINAL_STEP =
  'Find out who else uses this key. Drover waits until the other transaction is final. Then run `drover tx explain <id>`: it says how this one ended, or what you can do.'

/** The same where policy sends it again. */
export const FOREIGN_REQUEUED_STEP =
  'If nobody else should use this key, find out who does. You do not have to send this transaction again: once the other one is final, Drover does it by itself, unless that one may already have done the same.'

/** The lane data that the sentences need. */
export interface LaneName {
  readonly signer: string
  readonly chainId: number | string
}

/** `limit`: the one that forbids the price, if it is known. */
export function laneStep(code: LaneProblemCode, { signer, chainId }: LaneName, limit?: FeeLimit): string {
  switch (code) {
    case 'out_of_funds':
      return `Send funds to ${signer} on chain ${chainId}; Drover continues with the next block. Or cancel the transaction that waits: \`drover tx cancel <id> --reason "…"\`.`
    case 'balance_low':
      return `Send funds to ${signer} on chain ${chainId} soon.`
    case 'fee_above_cap':
      return `Wait until gas is cheaper, or ${raiseLimit(limit, chainId)}.`
    case 'foreign_nonce':
      return 'Find out who else uses this key. If its transaction did not do what this one should do, send this one again under a new nonce (`drover tx requeue <id> --reason "…"`). If it did, end this one (`drover tx close <id> --reason "…"`).'
    case 'stuck':
      return 'Run `drover tx explain <id>`: it says why and lists what you can do.'
    case 'blocked_by_reservation':
      return 'Release the reservations: `drover signer release-reservations <address> --reason "…"`. This is safe at any time.'
    case 'key_unavailable':
      return `${KEY_STORE_STEP} Test it with \`drover signer verify <address>\`.`
    case 'no_owner':
      return `Start a Drover node that has the key of ${signer}.`
    case 'owner_silent':
      return SILENT_NODE_STEP
  }
}

/** Only the limit that binds: raising another one changes nothing. */
function raiseLimit(limit: FeeLimit | undefined, chainId: LaneName['chainId']): string {
  switch (limit?.source) {
    case 'signer_per_gas':
      return `raise the signer's limit per gas: \`drover signer policy <address> --max-fee ${limit.enough}\``
    case 'signer':
      return `raise the signer's limit per transaction: \`drover signer policy <address> --max-tx-fee ${limit.enough}\``
    case 'chain':
      return `raise the chain's limit: set \`maxTxFee\` of chain ${chainId} to ${limit.enough} on every node, and restart them one after the other`
    case 'key':
      return `cancel it (\`drover tx cancel <id> --reason "…"\`) and send it again with an API key that may pay more: \`drover key create … --max-tx-fee ${limit.enough}\``
    case 'request':
      return `cancel it (\`drover tx cancel <id> --reason "…"\`) and send it again with \`fees\` of ${limit.enough} per gas, or without \`fees\``
    default:
      return 'raise the limit that is named above'
  }
}

/** Amounts as people read them, for sentences about money. */
export function spellNeed(neededWei: bigint, leftWei: bigint): string {
  const left = leftWei === 0n ? 'nothing' : `only ${formatAmount(leftWei)}`
  return `it may cost ${formatAmount(neededWei)}, but ${left} is left after what is already in flight`
}

/** What to do on a node that has no send endpoint for a signer that sends privately. */
export function sendsPrivatelyStep(signer: string): string {
  return `Set \`rpcSendUrl\` for ${signer} on every node that has its key. To send to every RPC node again, set it to \`${signer}=public\`.`
}
