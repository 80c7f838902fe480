/**
 * Tries calls out, in batches with what they are held to: the payers' balances and the block's gas.
 *
 * They run at the latest state of whichever node is asked, which is the freshest there is. A failure there is not yet a
 * verdict, since that node may be behind: it is tried again at the head that we follow, by block hash, or by height where
 * the node takes no hash. A node without that block has no say, and the next one is asked.
 */
import type { Call, CallOutcome, HeadRef } from '../ports/chain.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import { classifyCallError, isBlockRefused } from './call-outcome.ts'
import { balanceRead } from './chain-reads.ts'
import type { RpcPool } from './rpc/pool.ts'
import type { Read, ReadReply } from './rpc/pool-read.ts'
import { getFields, NotKnown, parseQuantity, toQuantity } from './rpc-values.ts'

interface Funds {
  readonly type: 'funds'
  readonly wei: bigint
}

interface BlockGas {
  readonly type: 'block_gas'
  /** Null where blocks of this chain name none. */
  readonly limit: bigint | null
}

/** The node does not take a block named in this way. */
interface NotTaken {
  readonly type: 'not_taken'
}

/** As JSON-RPC names a block: `latest`, a height, or a hash by EIP-1898. */
type At = string | { readonly blockHash: string }

type Answer = CallOutcome | NotTaken | Funds | BlockGas
type Reply = ReadReply<Answer> | undefined

/**
 * A call that no node would run is unknown, and no reason to doubt the outcomes of its neighbours. Throws
 * ChainUnavailable where none was run: then it is the nodes that cannot run anything.
 */
export async function readEstimates(
  pool: RpcPool,
  calls: readonly Call[],
  head: HeadRef | null,
): Promise<readonly CallOutcome[]> {
  const { outcomes, problem } = await run(pool, calls, 'latest')
  if (problem !== null) throw problem
  const latest = outcomes.map((outcome) => (outcome.type === 'not_taken' ? NO_ANSWER : outcome))
  const failed = [...latest.keys()].filter((index) => isFailure(latest[index]))
  if (failed.length === 0) return latest
  const suspects = failed.flatMap((index) => calls[index] ?? [])
  const verdicts = new Map<number, CallOutcome | NotTaken>()
  for (const [at, outcome] of (head === null ? [] : await runAtHead(pool, suspects, head)).entries())
    verdicts.set(failed[at] ?? -1, outcome)
  return latest.map((outcome, index) => {
    if (!isFailure(outcome)) return outcome
    const verdict = verdicts.get(index)
    return verdict === undefined || verdict.type === 'not_taken' ? { ...outcome, atLatest: true as const } : verdict
  })
}

const NO_ANSWER: CallOutcome = { type: 'unknown', message: 'no answer' }

function isFailure(outcome: CallOutcome | undefined): boolean {
  return outcome !== undefined && outcome.type !== 'ok' && outcome.type !== 'unknown'
}

async function runAtHead(
  pool: RpcPool,
  calls: readonly Call[],
  head: HeadRef,
): Promise<readonly (CallOutcome | NotTaken)[]> {
  const byHash = (await run(pool, calls, { blockHash: head.hash })).outcomes
  const left = calls.filter((_, index) => byHash[index]?.type === 'not_taken')
  if (left.length === 0) return byHash
  const byHeight = [...(await run(pool, left, toQuantity(BigInt(head.number)))).outcomes]
  return byHash.map((outcome) => (outcome.type === 'not_taken' ? (byHeight.shift() ?? outcome) : outcome))
}

async function run(
  pool: RpcPool,
  calls: readonly Call[],
  at: At,
): Promise<{ readonly outcomes: readonly (CallOutcome | NotTaken)[]; readonly problem: ChainUnavailable | null }> {
  const payers = [...new Set(calls.filter((call) => call.value > 0n).map((call) => call.from))]
  const limited = calls.some((call) => call.gasLimit !== null)
  const reads: readonly Read<Answer>[] = [
    ...calls.map((call) => estimateRead(call, at)),
    ...payers.map((payer) => fundsRead(payer, at)),
    ...(limited ? [blockGasRead(at)] : []),
  ]
  const replies = await pool.readEach(reads)
  const first = replies[0]
  const isMute = calls.length > 0 && replies.slice(0, calls.length).every((reply) => reply.type !== 'value')
  const { message = 'no answer', retryAfterMs = null } = first?.type === 'failed' ? first : {}
  const outcomes = calls.map((call, index) => {
    const outcome = readOutcome(replies[index])
    if (outcome.type === 'not_taken') return outcome
    const held = compareGas(call, outcome, limited ? replies.at(-1) : undefined)
    return call.value > 0n ? compareFunds(call, held, replies[calls.length + payers.indexOf(call.from)]) : held
  })
  return { outcomes, problem: isMute ? new ChainUnavailable(`eth_estimateGas: ${message}`, { retryAfterMs }) : null }
}

function readOutcome(reply: Reply): CallOutcome | NotTaken {
  if (reply?.type === 'value' && reply.value.type !== 'funds' && reply.value.type !== 'block_gas') return reply.value
  return { type: 'unknown', message: reply !== undefined && 'message' in reply ? reply.message : 'no answer' }
}

/**
 * Some nodes estimate without a look at the limit that the caller set, and none asks whether a block has room for it; but
 * bytes that ask for less than is needed, or for more than there is, are refused when they are sent, with their nonce taken.
 */
function compareGas({ gasLimit }: Call, outcome: CallOutcome, block: Reply): CallOutcome {
  if (gasLimit === null || outcome.type !== 'ok') return outcome
  if (outcome.gas > gasLimit)
    return { type: 'invalid', message: `it needs ${outcome.gas} gas, but gasLimit is ${gasLimit}` }
  if (block?.type !== 'value' || block.value.type !== 'block_gas')
    return { type: 'unknown', message: "the block's gas limit could not be read" }
  const { limit } = block.value
  if (limit === null || gasLimit <= limit) return outcome
  return { type: 'invalid', message: `gasLimit is ${gasLimit}, but a whole block has only ${limit}` }
}

/** Some nodes estimate a plain transfer without checking the balance, but more than the balance cannot be sent. */
function compareFunds(call: Call, outcome: CallOutcome, reply: Reply): CallOutcome {
  if (outcome.type !== 'ok' && outcome.type !== 'unknown') return outcome
  // What was found out counts without it: no lane takes a nonce for more than the account has.
  if (reply?.type !== 'value' || reply.value.type !== 'funds') return outcome
  if (reply.value.wei >= call.value) return outcome
  return {
    type: 'insufficient_funds',
    message: `the value is ${call.value} wei, but the balance is ${reply.value.wei} wei`,
  }
}

function blockGasRead(at: At): Read<BlockGas> {
  return {
    method: typeof at === 'string' ? 'eth_getBlockByNumber' : 'eth_getBlockByHash',
    params: [typeof at === 'string' ? at : at.blockHash, false],
    decode(result) {
      if (result === null) throw new NotKnown('the RPC node does not have this block')
      const { gasLimit = '0x0' } = getFields(result, 'block')
      return { type: 'block_gas', limit: parseQuantity(gasLimit, 'gasLimit') || null }
    },
  }
}

function fundsRead(address: Call['from'], at: At): Read<Funds> {
  const { method, params, decode } = balanceRead(address, at)
  return { method, params, decode: (result) => ({ type: 'funds', wei: decode(result) }) }
}

function estimateRead(call: Call, at: At): Read<CallOutcome | NotTaken> {
  return {
    method: 'eth_estimateGas',
    params: [toRpcCall(call), at],
    decode: (result) => ({ type: 'ok', gas: parseQuantity(result, 'gas') }),
    decodeError(error) {
      const outcome = classifyCallError(error)
      if (outcome !== null) return { value: outcome }
      return at !== 'latest' && isBlockRefused(error) ? { value: { type: 'not_taken' } } : null
    },
  }
}

/** A call as JSON-RPC spells it. */
export function toRpcCall({ from, to, data, value, gasLimit, accessList }: Call) {
  return {
    from,
    ...(to === null ? {} : { to }),
    ...(data === '0x' ? {} : { data }),
    value: toQuantity(value),
    ...(gasLimit === null ? {} : { gas: toQuantity(gasLimit) }),
    ...(accessList === undefined ? {} : { accessList }),
  }
}
