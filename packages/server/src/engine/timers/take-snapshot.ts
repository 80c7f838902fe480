/** A state in its stored form, built in pieces so that everything else continues meanwhile. */
import { writeSnapshot } from '@drover/timers'
import type { TimerSnapshot } from '../../ports/timer-store.ts'
import { storeParams } from './evm-params.ts'
import type { HostState } from './host-state.ts'

export async function takeSnapshot(host: HostState, rest: () => Promise<void>): Promise<TimerSnapshot> {
  const { kernel, params, tip, seq } = host
  if (tip === null) throw new Error('a state without a block cannot be stored')
  const chunks: Uint8Array[] = []
  for (const chunk of writeSnapshot(kernel)) {
    chunks.push(chunk)
    if (chunks.length % 8 === 0) await rest()
  }
  return { block: { ...tip, parentStateRoot: tip.stateRoot, keys: [] }, seq, chunks, params: storeParams(params) }
}
