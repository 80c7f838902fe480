/** Polls transactions until each reaches the requested stage or fails, and reports every change. */
import { assessWait, type Drover, DroverError, type Stage, type Transaction } from '@drover/client'
import { backOff } from '@drover/server/core'
import { pause } from '../pause.ts'

export interface WatchPorts {
  readonly drover: Drover
  readonly signal: AbortSignal
  /** All of them in the order they were asked for, whenever one is not what it was. */
  onChange(all: readonly Transaction[], changed: readonly Transaction[]): void
  /** The service is unreachable; the request is retried. */
  onOutage(error: DroverError): void
}

export interface WatchRequest {
  /** As they were last seen. */
  readonly first: readonly Transaction[]
  readonly until: Stage
  /** Null: as long as it takes. */
  readonly timeoutMs: number | null
}

export type WatchEnd = 'reached' | 'failed' | 'timed_out'

const PAUSES = { first: 150, max: 2_000, factor: 1.3 }
const MAX_OUTAGE_MS = 5 * 60_000

export async function watchTransactions(ports: WatchPorts, request: WatchRequest): Promise<WatchEnd> {
  const { until, timeoutMs } = request
  const deadline = timeoutMs === null ? null : performance.now() + timeoutMs
  const seen = new Map(request.first.map((tx) => [tx.id, tx]))
  const outage = createPatience(ports)
  ports.onChange([...seen.values()], [...seen.values()])
  for (let quietLooks = 0; ; ) {
    const waiting = [...seen.values()].filter((tx) => assessWait(tx, until) === 'waiting')
    if (waiting.length === 0) break
    if (deadline !== null && performance.now() >= deadline) return 'timed_out'
    await pause(backOff(quietLooks + 1, PAUSES), ports.signal)
    ports.signal.throwIfAborted()
    const looked = await outage.bear(() => lookAt(ports, waiting))
    const changed = looked.filter((tx) => JSON.stringify(tx) !== JSON.stringify(seen.get(tx.id)))
    for (const tx of changed) seen.set(tx.id, tx)
    if (changed.length > 0) ports.onChange([...seen.values()], changed)
    // Transactions that move are polled often, idle ones less and less.
    quietLooks = changed.length > 0 ? 0 : quietLooks + 1
  }
  return [...seen.values()].some((tx) => assessWait(tx, until) === 'failed') ? 'failed' : 'reached'
}

async function lookAt(
  { drover, signal }: WatchPorts,
  waiting: readonly Transaction[],
): Promise<readonly Transaction[]> {
  return await Promise.all(waiting.map(async ({ id }) => (await drover.transactions.get(id, { signal })).snapshot))
}

/** Temporary failures are tolerated for a while in a row; all others end the watch. */
function createPatience({ onOutage }: WatchPorts) {
  let since: number | null = null
  return {
    async bear(look: () => Promise<readonly Transaction[]>): Promise<readonly Transaction[]> {
      try {
        const looked = await look()
        since = null
        return looked
      } catch (error) {
        if (!(error instanceof DroverError && error.transient)) throw error
        if (since === null) onOutage(error)
        since ??= performance.now()
        if (performance.now() - since > MAX_OUTAGE_MS) throw error
        return []
      }
    },
  }
}
