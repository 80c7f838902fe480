/**
 * Turns fires that are due into transactions to queue. A fire whose timer is not in the store stays OBSERVED, and the log
 * says so: it is never dropped.
 */
import type { KernelId } from '../../core/timer/timer.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { NewTransaction } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { BlocksWrite, HandOff, Incarnation, NewFire } from '../../ports/timer-store.ts'
import type { JudgeFires } from '../rules/judge-fires.ts'
import { formHandOff } from './form-fire.ts'

interface HandOffPorts {
  readonly chainId: number
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'id'>
  readonly telemetry: Pick<Telemetry, 'log'>
  /** The spending rules; left out: there are none. */
  readonly judgeFires?: JudgeFires
  findIncarnations(kernelIds: readonly KernelId[]): Promise<ReadonlyMap<KernelId, Incarnation>>
}

interface HandOffs {
  /** The fires that become transactions. */
  readonly ready: readonly NewFire[]
  readonly handOffs: BlocksWrite['handOffs']
}

export function createHandOffs(ports: HandOffPorts): (due: readonly NewFire[]) => Promise<HandOffs> {
  const { chainId, clock, random, telemetry, judgeFires = async (transactions) => transactions } = ports
  return async (due) => {
    const incarnations = await ports.findIncarnations([...new Set(due.map(({ kernelId }) => kernelId))])
    const ready: NewFire[] = []
    const handOffs: BlocksWrite['handOffs'][number][] = []
    for (const fire of due) {
      const { deliverId, kernelId } = fire
      const incarnation = incarnations.get(kernelId)
      if (incarnation === undefined) {
        telemetry.log('error', 'a timer fired but is not in the store; its fire waits', {
          chainId,
          deliverId,
          kernelId,
        })
        continue
      }
      ready.push(fire)
      handOffs.push(formHandOff(fire, incarnation, random.id(clock.now())))
    }
    const judged = await judgeFires(handOffs.map(({ transaction }) => transaction))
    return { ready, handOffs: handOffs.map((handOff, index) => withVerdict(handOff, judged[index] ?? null)) }
  }
}

/** Null: refused. */
function withVerdict(handOff: HandOff, transaction: NewTransaction | null): HandOff {
  return transaction === null ? { ...handOff, isRefused: true } : { ...handOff, transaction }
}
