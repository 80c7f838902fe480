/**
 * Turns fires that are due into transactions to queue. A fire whose timer is not in the store stays OBSERVED, and the log
 * says so: it is never dropped.
 */
import type { KernelId } from '../../core/timer/timer.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { BlocksWrite, Incarnation, NewFire } from '../../ports/timer-store.ts'
import { formHandOff } from './form-fire.ts'

interface HandOffPorts {
  readonly chainId: number
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'id'>
  readonly telemetry: Pick<Telemetry, 'log'>
  findIncarnations(kernelIds: readonly KernelId[]): Promise<ReadonlyMap<KernelId, Incarnation>>
}

interface HandOffs {
  /** The fires that become transactions. */
  readonly ready: readonly NewFire[]
  readonly handOffs: BlocksWrite['handOffs']
}

export function createHandOffs(ports: HandOffPorts): (due: readonly NewFire[]) => Promise<HandOffs> {
  const { chainId, clock, random, telemetry } = ports
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
    return { ready, handOffs }
  }
}
