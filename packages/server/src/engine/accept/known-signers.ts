/** The registered lanes, kept in memory: every request asks for one, and they hardly ever change. */
import { coalesce } from '../../core/coalesced-task.ts'
import { type Lane, type LaneKey, laneKey } from '../../core/lane/lane.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SignerRecord, Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface KnownSigners {
  /** An unknown lane is looked up in the store once before the answer is null. */
  find(lane: Lane): Promise<SignerRecord | null>
  /** What is in memory now. Memory is filled soon after the start and refreshed in the background. */
  peek(lane: Lane): SignerRecord | null
  /** Reads them again. If the database is down, the known ones stay in use. */
  refresh(): Promise<void>
  close(): void
}

interface KnownSignersPorts {
  readonly store: Pick<Store, 'listSigners' | 'listen'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly maxAgeMs?: number
}

export function createKnownSigners({ store, clock, telemetry, maxAgeMs = 5_000 }: KnownSignersPorts): KnownSigners {
  let known: ReadonlyMap<LaneKey, SignerRecord> = new Map()
  let readAt = Number.NEGATIVE_INFINITY
  let isReading = false

  /** A change may come while they are read: then they are read once more, since that read may have begun before it. */
  const reads = coalesce(async () => {
    const startedAt = clock.monotonic()
    isReading = true
    try {
      const records = await store.listSigners()
      known = new Map(records.map((record) => [laneKey(record.lane), record]))
      readAt = startedAt
    } finally {
      isReading = false
    }
  })

  function keepFresh(): void {
    if (isReading || clock.monotonic() - readAt <= maxAgeMs) return
    void refresh()
  }

  function refresh(): Promise<void> {
    return reads.run().catch((error: unknown) => {
      telemetry.log('warn', 'could not read the signers; using the known ones', { error: String(error) })
    })
  }

  const unlisten = store.listen((notice) => {
    if (notice.type === 'nodes.changed' || notice.type === 'gap') void refresh()
  })
  void refresh()

  function peek(lane: Lane): SignerRecord | null {
    keepFresh()
    return known.get(laneKey(lane)) ?? null
  }

  async function find(lane: Lane): Promise<SignerRecord | null> {
    const key = laneKey(lane)
    const hit = known.get(key)
    if (hit !== undefined) {
      keepFresh()
      return hit
    }
    // Only a read that begins now can prove that it is missing.
    await reads.run()
    return known.get(key) ?? null
  }

  return { find, peek, refresh, close: unlisten }
}
