/** `GET /v1/chains/{chainId}/fees`: what gas costs now. */
import { z } from 'zod'
import { type FeeMarket, SPEEDS, type Speed } from '../../../core/fees/fees.ts'
import { priceTransaction } from '../../../core/fees/price.ts'
import { ChainUnavailable } from '../../../ports/chain.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { LaneStatus } from '../../../ports/store.ts'
import { type FeesResource, feesResource } from '../../contract/resources/fees-resource.ts'
import { checksumAddress } from '../../contract/values/address.ts'
import { integerParam } from '../../contract/values/query.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

/** The page asks for this together with everything else: RPC nodes that hang must not hold it up. */
const MAX_WAIT_MS = 2_000

export const showFees = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ chainId: integerParam(1, Number.MAX_SAFE_INTEGER) }) },
  {
    operationId: 'showFees',
    method: 'GET',
    path: '/v1/chains/{chainId}/fees',
    summary: 'Show the current gas prices of a chain and what Drover offers at each speed',
    scope: 'read',
    answers: [{ status: 200, description: 'Prices in wei, as of the newest block.', schema: feesResource }],
    errors: ['not_found', 'chain_unavailable'],
  },
  async ({ params: { chainId } }, services) => {
    const market = await withinTime(services.clock, services.feeMarkets.read(chainId))
    const lanes = await services.store.listLaneStatus({})
    const body: FeesResource = {
      chainId,
      nextBaseFeePerGas: market.baseFeePerGas?.toString() ?? null,
      gasPrice: market.gasPrice.toString(),
      speeds: presentOffers(market),
      saidBy: [...(market.saidBy ?? [])],
      maxTxFee: services.maxTxFeeOf(chainId)?.toString() ?? null,
      caps: lanes.filter(({ signer }) => signer.lane.chainId === chainId).flatMap(presentCap),
    }
    return { status: 200, body }
  },
)

/** What is read goes on being read, for those who ask next. */
async function withinTime(clock: Clock, reading: Promise<FeeMarket>): Promise<FeeMarket> {
  let cancel = (): void => {}
  const late = new Promise<never>((_, reject) => {
    cancel = clock.schedule(MAX_WAIT_MS, () => reject(new ChainUnavailable(`no answer within ${MAX_WAIT_MS} ms`)))
  })
  return await Promise.race([reading, late]).finally(cancel)
}

function presentOffers(market: FeeMarket): FeesResource['speeds'] {
  const [slow, standard, fast] = SPEEDS.map((speed) => presentOffer(market, speed))
  if (slow === undefined || standard === undefined || fast === undefined) throw new Error('a speed has no offer')
  return { slow, standard, fast }
}

/** Uses the rule that prices transactions, so the two cannot differ. */
function presentOffer(market: FeeMarket, speed: Speed): FeesResource['speeds'][Speed] {
  const price = priceTransaction({ fees: null, speed }, market, null)
  const isMarket = price.type === 'priced' && price.fees.type === 'eip1559'
  return {
    maxFeePerGas: isMarket ? price.fees.maxFeePerGas.toString() : null,
    maxPriorityFeePerGas: market.priorityFeePerGas[speed].toString(),
  }
}

function presentCap({ signer: { lane, policy } }: LaneStatus): FeesResource['caps'] {
  const { maxFeePerGasWei, maxTxFeeWei } = policy
  if (maxFeePerGasWei === null && maxTxFeeWei === null) return []
  const caps = { maxFeePerGas: maxFeePerGasWei?.toString() ?? null, maxTxFee: maxTxFeeWei?.toString() ?? null }
  return [{ address: checksumAddress(lane.signer), ...caps }]
}
