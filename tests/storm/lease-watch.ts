/** Watches the leases several times a second, to measure how long a lane is without an owner. */
import { setTimeout as delay } from 'node:timers/promises'
import type { StormLog } from './storm-log.ts'

export interface LeaseWatch {
  /** This node cannot act from now on: its lanes wait for another owner. */
  lost(nodeId: string | null, how: 'takeover' | 'handover'): void
  /** It is back: lanes that nobody took are still its own. */
  back(nodeId: string | null): void
  stop(): Promise<void>
}

interface LeaseRow {
  readonly lane: string
  readonly owner: string | null
  /** It is about to be handed over, so it is not measured. */
  readonly wanted: boolean
}

const EVERY_MS = 100

export function watchLeases(log: StormLog, read: () => Promise<readonly LeaseRow[]>): LeaseWatch {
  let isOver = false
  let leases: readonly LeaseRow[] = []
  const waiting = new Map<
    string,
    { readonly from: string; readonly since: number; readonly how: 'takeover' | 'handover' }
  >()

  async function look(): Promise<void> {
    const rows = await read().catch(() => null)
    if (rows === null) return
    for (const { lane, owner } of rows) {
      const wait = waiting.get(lane)
      if (wait === undefined || owner === null || owner === wait.from) continue
      waiting.delete(lane)
      log[wait.how === 'takeover' ? 'takeoverMs' : 'handoverMs'].push(Date.now() - wait.since)
    }
    leases = rows
  }

  const watching = (async () => {
    while (!isOver) {
      await look()
      await delay(EVERY_MS)
    }
  })()
  return {
    lost: (nodeId, how) => {
      if (nodeId === null) return
      for (const { lane, owner, wanted } of leases)
        if (owner === nodeId && !wanted && !waiting.has(lane))
          waiting.set(lane, { from: nodeId, since: Date.now(), how })
    },
    back: (nodeId) => {
      for (const [lane, { from }] of waiting) if (from === nodeId) waiting.delete(lane)
    },
    stop: async () => {
      isOver = true
      await watching
    },
  }
}
