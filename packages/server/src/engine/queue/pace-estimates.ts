/**
 * The estimates of a lane, at a pace of its own while tenants are active that have nothing in its queue. Calls that take
 * a node long would otherwise make everybody wait who asks the same node: nothing else holds them back, once they are
 * accepted. A lane whose calls are quick does not notice.
 */
import type { Address } from '../../core/hex.ts'
import type { CallOutcome, Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { UpstreamPace } from '../tenants/upstream-pace.ts'

interface PaceEstimatesPorts {
  readonly chain: Pick<Chain, 'estimate'>
  /** By signer. */
  readonly pace: Pick<UpstreamPace, 'callsOf' | 'run'>
  readonly clock: Pick<Clock, 'schedule'>
  /** Others wait for the same node. */
  hasOthers(signer: Address): boolean
}

export function paceEstimates({ chain, pace, clock, hasOthers }: PaceEstimatesPorts): Chain['estimate'] {
  const rests = new Map<Address, Promise<void>>()

  function rest(signer: Address, ms: number): void {
    if (ms === 0) return
    const over = new Promise<void>((resolve) => void clock.schedule(ms, resolve)).then(() => {
      if (rests.get(signer) === over) rests.delete(signer)
    })
    rests.set(signer, over)
  }

  return async (calls, head) => {
    const [first] = calls
    if (first === undefined || !hasOthers(first.from)) return chain.estimate(calls, head)
    const { from: signer } = first
    const outcomes: CallOutcome[] = []
    while (outcomes.length < calls.length) {
      await rests.get(signer)
      const part = calls.slice(outcomes.length, outcomes.length + pace.callsOf(signer))
      const { answer, restMs } = await pace.run(signer, () => chain.estimate(part, head))
      if (answer.length < part.length) throw new Error('fewer calls were tried than asked for')
      outcomes.push(...answer)
      rest(signer, restMs)
    }
    return outcomes
  }
}
