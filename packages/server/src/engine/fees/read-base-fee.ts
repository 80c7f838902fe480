/** What the next block of a chain asks per gas, if its node says so at once: good to know, and nothing to wait for. */
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import { pause } from '../pause.ts'

const LONGEST_WAIT_MS = 1_000

export async function readBaseFee(chain: Pick<Chain, 'getFeeMarket'>, clock: Clock): Promise<bigint | null> {
  const asked = chain.getFeeMarket().then(
    ({ baseFeePerGas }) => baseFeePerGas,
    (error: unknown) => {
      if (error instanceof ChainUnavailable) return null
      throw error
    },
  )
  return await Promise.race([asked, pause(clock, LONGEST_WAIT_MS).then(() => null)])
}
