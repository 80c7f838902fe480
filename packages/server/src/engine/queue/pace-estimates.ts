/**
 * The estimates of a lane, at the pace of whoever filled its queue, while others ask the same node. Calls that take a node
 * long would otherwise make all of them wait: nothing else holds such calls back, once they are accepted.
 */
import type { Address } from '../../core/hex.ts'
import type { CallOutcome, Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { UpstreamPace } from '../tenants/upstream-pace.ts'

interface PaceEstimatesPorts {
  readonly chain: Pick<Chain, 'estimate'>
  readonly pace: Pick<UpstreamPace, 'callsOf' | 'hasOthers' | 'run'>
  readonly clock: Pick<Clock, 'schedule'>
  /** Whose pace it is: the tenant that all of the lane's queue belongs to, or the signer. Null: nobody knows yet. */
  payerOf(signer: Address): string | null
}

export function paceEstimates({ chain, pace, clock, payerOf }: PaceEstimatesPorts): Chain['estimate'] {
  const rests = new Map<string, Promise<void>>()

  function rest(payer: string, ms: number): void {
    if (ms === 0) return
    const over = new Promise<void>((resolve) => void clock.schedule(ms, resolve)).then(() => {
      if (rests.get(payer) === over) rests.delete(payer)
    })
    rests.set(payer, over)
  }

  return async (calls, head) => {
    const [first] = calls
    const outcomes: CallOutcome[] = []
    const payer = first === undefined ? null : payerOf(first.from)
    while (payer !== null && outcomes.length < calls.length) {
      await rests.get(payer)
      // Asked each time: the others may have come, or left.
      if (!pace.hasOthers(payer)) break
      const part = calls.slice(outcomes.length, outcomes.length + pace.callsOf(payer))
      const { answer, restMs } = await pace.run(payer, () => chain.estimate(part, head))
      if (answer.length < part.length) throw new Error('fewer calls were tried than asked for')
      outcomes.push(...answer)
      rest(payer, restMs)
    }
    const left = calls.slice(outcomes.length)
    return left.length === 0 ? outcomes : [...outcomes, ...(await chain.estimate(left, head))]
  }
}
