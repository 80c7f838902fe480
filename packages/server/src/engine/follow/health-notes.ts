/** Says in the stream of a lane when its chain stands, goes back or cannot be reached while the lane waits for it, and when that is over. */
import type { ChainHealth } from '../../core/chain/chain-health.ts'
import { inclusionOf } from '../../core/transaction/transaction.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'

export interface HealthNotes {
  take(health: ChainHealth): void
  tell(draft: LaneDraft): void
}

export function createHealthNotes(): HealthNotes {
  let now: ChainHealth | null = null
  let told: ChainHealth['state'] = 'ok'

  return {
    take: (health) => {
      now = health
    },
    tell: (draft) => {
      if (now === null || now.state === told || now.state === 'starting') return
      const { state, message } = now
      if (state === 'ok') draft.note({ type: 'chain.recovered', cause: told, detail: {} })
      // A lane that waits for nothing has nothing to say of it.
      else if (!draft.inFlight().some((tx) => inclusionOf(tx) === null)) return
      else draft.note({ type: `chain.${state}`, cause: null, detail: { message } })
      told = state
    },
  }
}
