/**
 * Notes in the stream of a lane when its chain halts, goes back or cannot be reached while the lane waits for it, and
 * when that ends.
 */
import type { ChainHealth } from '../../core/chain/chain-health.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'

export interface HealthNotes {
  take(health: ChainHealth): void
  note(draft: LaneDraft): void
}

export function createHealthNotes(): HealthNotes {
  let now: ChainHealth | null = null
  let noted: ChainHealth['state'] = 'ok'

  return {
    take: (health) => {
      now = health
    },
    note: (draft) => {
      if (now === null || now.state === noted || now.state === 'starting') return
      const { state, message } = now
      if (state === 'ok') draft.note({ type: 'chain.recovered', cause: noted, detail: {} })
      // A lane that waits for nothing reports nothing.
      else if (draft.unmined().length === 0) return
      else draft.note({ type: `chain.${state}`, cause: null, detail: { message } })
      noted = state
    },
  }
}
