/** Tries calls out at the latest state, all in one batch with what they are held to: the payers' balances and the block's gas. */
import type { Call, CallOutcome } from '../ports/chain.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import { classifyCallError } from './call-outcome.ts'
import { balanceRead } from './chain-reads.ts'
import type { RpcPool } from './rpc/pool.ts'
import type { Read, ReadReply } from './rpc/pool-read.ts'
import { getFields, parseQuantity, toQuantity } from './rpc-values.ts'

interface Funds {
  readonly type: 'funds'
  readonly wei: bigint
}

interface BlockGas {
  readonly type: 'block_gas'
  /** Null where blocks of this chain name none. */
  readonly limit: bigint | null
}

type Answer = CallOutcome | Funds | BlockGas
type Reply = ReadReply<Answer> | undefined

/**
 * A call that no node would run is unknown, and no reason to doubt the outcomes of its neighbours. Throws
 * ChainUnavailable where none was run: then it is the nodes that cannot run anything.
 */
export async function readEstimates(pool: RpcPool, calls: readonly Call[]): Promise<readonly CallOutcome[]> {
  const payers = [...new Set(calls.filter((call) => call.value > 0n).map((call) => call.from))]
  const limited = calls.some((call) => call.gasLimit !== null)
  const reads: readonly Read<Answer>[] = [
    ...calls.map(estimateRead),
    ...payers.map(fundsRead),
    ...(limited ? [blockGasRead] : []),
  ]
  const replies = await pool.readEach(reads)
  const first = replies[0]
  if (calls.length > 0 && replies.slice(0, calls.length).every((reply) => reply.type !== 'value')) {
    const { message = 'no answer', retryAfterMs = null } = first?.type === 'failed' ? first : {}
    throw new ChainUnavailable(`eth_estimateGas: ${message}`, { retryAfterMs })
  }
  return calls.map((call, index) => {
    const outcome = compareGas(call, readOutcome(replies[index]), limited ? replies.at(-1) : undefined)
    return call.value > 0n ? compareFunds(call, outcome, replies[calls.length + payers.indexOf(call.from)]) : outcome
  })
}

function readOutcome(reply: Reply): CallOutcome {
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
    return { type: 'invalid', message: `it needs ${outcome.gas} gas, and gasLimit is ${gasLimit}` }
  if (block?.type !== 'value' || block.value.type !== 'block_gas')
    return { type: 'unknown', message: "the block's gas limit could not be read" }
  const { limit } = block.value
  if (limit === null || gasLimit <= limit) return outcome
  return { type: 'invalid', message: `gasLimit is ${gasLimit}, and a whole block has ${limit}` }
}

/** Some nodes estimate a plain transfer without a look at the balance: more than there is cannot be sent all the same. */
function compareFunds(call: Call, outcome: CallOutcome, reply: Reply): CallOutcome {
  if (outcome.type !== 'ok' && outcome.type !== 'unknown') return outcome
  if (reply?.type !== 'value' || reply.value.type !== 'funds')
    return { type: 'unknown', message: 'the balance could not be read' }
  if (reply.value.wei >= call.value) return outcome
  return { type: 'insufficient_funds', message: `the value is ${call.value} wei, the balance ${reply.value.wei}` }
}

const blockGasRead: Read<BlockGas> = {
  method: 'eth_getBlockByNumber',
  params: ['latest', false],
  decode(result) {
    const { gasLimit = '0x0' } = getFields(result, 'block')
    return { type: 'block_gas', limit: parseQuantity(gasLimit, 'gasLimit') || null }
  },
}

function fundsRead(address: Call['from']): Read<Funds> {
  const { method, params, decode } = balanceRead(address)
  return { method, params, decode: (result) => ({ type: 'funds', wei: decode(result) }) }
}

function estimateRead(call: Call): Read<CallOutcome> {
  const fields = {
    from: call.from,
    ...(call.to === null ? {} : { to: call.to }),
    ...(call.data === '0x' ? {} : { data: call.data }),
    value: toQuantity(call.value),
    ...(call.gasLimit === null ? {} : { gas: toQuantity(call.gasLimit) }),
  }
  return {
    method: 'eth_estimateGas',
    params: [fields, 'latest'],
    decode: (result) => ({ type: 'ok', gas: parseQuantity(result, 'gas') }),
    decodeError(error) {
      const outcome = classifyCallError(error)
      return outcome === null ? null : { value: outcome }
    },
  }
}
