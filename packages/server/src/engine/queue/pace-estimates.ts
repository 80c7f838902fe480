/**
 * The estimates of a lane, at a pace while tenants are active that have nothing in its queue. Calls that take a node long
 * would otherwise make everybody wait who asks the same node: nothing else holds them back, once they are accepted. A
 * lane whose calls are quick does not notice.
 */
import type { Address } from '../../core/hex.ts'
import type { CallOutcome, Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { UpstreamPace } from '../tenants/upstream-pace.ts'

interface PaceEstimatesPorts {
  readonly chain: Pick<Chain, 'estimate'>
  readonly pace: Pick<UpstreamPace, 'callsOf' | 'run'>
  readonly clock: Pick<Clock, 'schedule'>
  /** Whose pace it is: the tenant that all of the lane's queue belongs to, or the signer. Null: nobody else waits for the node. */
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
    const payer = first === undefined ? null : payerOf(first.from)
    if (payer === null) return chain.estimate(calls, head)
    const outcomes: CallOutcome[] = []
    while (outcomes.length < calls.length) {
      await rests.get(payer)
      const part = calls.slice(outcomes.length, outcomes.length + pace.callsOf(payer))
      const { answer, restMs } = await pace.run(payer, () => chain.estimate(part, head))
      if (answer.length < part.length) throw new Error('fewer calls were tried than asked for')
      outcomes.push(...answer)
      rest(payer, restMs)
    }
    return outcomes
  }
}
