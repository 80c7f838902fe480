/** Runs a call on the chain without sending it: the gas it takes, and the most it may cost. */
import type { ApiClient, Transfer } from '../../api/api-client.ts'
import { ApiProblem, ServiceAway } from '../../api/api-failure.ts'
import type { LaneResource } from '../../api/api-resources.ts'
import { formatAmount } from '../../format/format-amount.ts'
import { coinOf } from '../../words/chain-names.ts'

export type CallCheck =
  | { readonly type: 'passed'; readonly gas: bigint; readonly maxFeeWei: bigint }
  | { readonly type: 'failed'; readonly message: string }

type CheckApi = Pick<ApiClient, 'estimateGas' | 'readFees'>
type Payer = Pick<LaneResource, 'balance' | 'policy'>

/** Nodes estimate without asking who pays, so the balance is compared here. */
export async function checkCall(api: CheckApi, transfer: Transfer, { balance, policy }: Payer): Promise<CallCheck> {
  try {
    const [estimate, fees] = await Promise.all([api.estimateGas(transfer), api.readFees(transfer.chainId)])
    if ('error' in estimate) return { type: 'failed', message: estimate.error.message }
    const gas = BigInt(estimate.result)
    const price = BigInt(fees.speeds.standard.maxFeePerGas ?? fees.gasPrice)
    const maxFeeWei = ((gas * BigInt(policy.gasLimitPercent)) / 100n) * price
    const needed = maxFeeWei + BigInt(transfer.value)
    if (balance === null || BigInt(balance.wei) >= needed) return { type: 'passed', gas, maxFeeWei }
    const [has, needs] = [BigInt(balance.wei), needed].map((wei) => spell(wei, transfer.chainId))
    return { type: 'failed', message: `the signer has ${has}, and this may cost ${needs}` }
  } catch (error) {
    if (error instanceof ServiceAway) return { type: 'failed', message: error.message }
    if (error instanceof ApiProblem) return { type: 'failed', message: error.problem.detail }
    throw error
  }
}

function spell(wei: bigint, chainId: number): string {
  const { text, unit } = formatAmount(wei, coinOf(chainId))
  return `${text} ${unit}`
}
