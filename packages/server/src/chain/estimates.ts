/** Tries calls out at the latest state, all in one batch with the balances of those who are to pay. */
import type { Call, CallOutcome } from '../ports/chain.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import { classifyCallError } from './call-outcome.ts'
import { balanceRead } from './chain-reads.ts'
import type { Read, RpcPool } from './rpc-pool.ts'
import { parseQuantity, toQuantity } from './rpc-values.ts'

interface Funds {
  readonly type: 'funds'
  readonly wei: bigint
}

/** Throws ChainUnavailable if one of them has no certain outcome. */
export async function readEstimates(pool: RpcPool, calls: readonly Call[]): Promise<readonly CallOutcome[]> {
  const payers = [...new Set(calls.filter((call) => call.value > 0n).map((call) => call.from))]
  const reads: readonly Read<CallOutcome | Funds>[] = [...calls.map(estimateRead), ...payers.map(fundsRead)]
  const values = await pool.readAll(reads)
  return calls.map((call, index) => {
    const outcome = values[index]
    if (outcome === undefined || outcome.type === 'funds') throw new ChainUnavailable('an estimate is missing')
    const funds = values[calls.length + payers.indexOf(call.from)]
    // Some nodes estimate a plain transfer without a look at the balance: more than there is cannot be sent all the same.
    if (call.value > 0n && funds?.type === 'funds' && funds.wei < call.value)
      return { type: 'insufficient_funds', message: `the value is ${call.value} wei, the balance ${funds.wei}` }
    return outcome
  })
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
