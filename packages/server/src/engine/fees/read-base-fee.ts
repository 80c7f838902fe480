/** What a chain says about the next block and an account, if its node answers at once: useful, not worth a wait. */
import type { Lane } from '../../core/lane/lane.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import { pause } from '../pause.ts'

const MAX_WAIT_MS = 1_000

/** What the next block asks per gas, in wei. */
export async function readBaseFee(chain: Pick<Chain, 'getFeeMarket'>, clock: Clock): Promise<bigint | null> {
  return await soon(
    clock,
    chain.getFeeMarket().then(({ baseFeePerGas }) => baseFeePerGas),
  )
}

/** How many transactions of an account the chain counts at this height: a node that is behind cannot answer. */
export async function readCount(
  chain: Pick<Chain, 'getTransactionCount'>,
  { signer }: Lane,
  height: number,
  clock: Clock,
): Promise<number | null> {
  return await soon(clock, chain.getTransactionCount(signer, height))
}

async function soon<T>(clock: Clock, answer: Promise<T>): Promise<T | null> {
  const asked = answer.catch((error: unknown) => {
    if (error instanceof ChainUnavailable) return null
    throw error
  })
  return await Promise.race([asked, pause(clock, MAX_WAIT_MS).then(() => null)])
}
