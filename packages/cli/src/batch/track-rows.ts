/**
 * Follows accepted rows to their goal at a cost that hardly grows with their number: what is unfinished is listed by pages
 * of two hundred. What has left that list since is most likely among the newest of the finished ones, so those are listed
 * as well, as many pages as are worth it; only what is not found there is looked at on its own.
 */
import { type Drover, DroverError, type Transaction } from '@drover/client'
import { pause } from '../pause.ts'
import { type Board, type RowStatus, withTransaction } from './board.ts'

export interface TrackPorts {
  readonly drover: Drover
  readonly board: Board
  /** Fires when the result is no longer needed. */
  readonly stop: AbortSignal
  /** Nothing more will be accepted. */
  isSendingOver(): boolean
  /** Of rows that were not final before and are now. */
  onFinal(rows: readonly RowStatus[]): Promise<void>
  onChange(): void
  onOutage(error: DroverError): void
}

const UNFINISHED = ['QUEUED', 'ALLOCATED', 'TRACKING', 'STUCK'] as const
const FINAL = ['CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED'] as const
const PAGE = 200
const LOOKS_AT_ONCE = 8
/** Fewer than this are sooner looked at one by one. */
const FEW = 20
const MIN_PAUSE_MS = 500
const MAX_OUTAGE_MS = 5 * 60_000

/** Ends when all are there, when nothing but stuck ones is left, or when it is asked to stop. */
export async function trackRows(ports: TrackPorts): Promise<void> {
  const { board, stop } = ports
  let failingSince: number | null = null
  for (;;) {
    const wasOver = ports.isSendingOver()
    const open = board.open()
    if (stop.aborted || (wasOver && open.every(({ state }) => state === 'STUCK') && hasLooked(open))) return
    const startedAt = performance.now()
    try {
      if (open.length > 0) await sweep(ports, open)
      failingSince = null
    } catch (error) {
      if (stop.aborted) return
      if (!(error instanceof DroverError && error.transient)) throw error
      if (failingSince === null) ports.onOutage(error)
      failingSince ??= startedAt
      if (startedAt - failingSince > MAX_OUTAGE_MS) throw error
    }
    ports.onChange()
    // A long list is asked for less often: at most a third of the time is spent on asking.
    await pause(Math.max(MIN_PAUSE_MS, 2 * (performance.now() - startedAt)), stop)
  }
}

function hasLooked(open: readonly RowStatus[]): boolean {
  return open.every(({ state }) => state !== null)
}

async function sweep(ports: TrackPorts, open: readonly RowStatus[]): Promise<void> {
  for (const from of new Set(open.map((status) => status.from))) {
    await sweepSigner(
      ports,
      from,
      new Map(open.flatMap((row) => (row.id !== null && row.from === from ? [[row.id, row]] : []))),
    )
    ports.onChange()
  }
}

async function sweepSigner(ports: TrackPorts, from: string, left: Map<string, RowStatus>): Promise<void> {
  const take = (tx: Transaction): RowStatus | null => {
    const status = left.get(tx.id)
    if (status === undefined) return null
    left.delete(tx.id)
    const seen = withTransaction(status, tx)
    ports.board.set(seen)
    return seen
  }
  for await (const page of listPages(ports, from, UNFINISHED)) page.forEach(take)
  let pagesWorthIt = left.size < FEW ? 0 : Math.ceil(left.size / PAGE) + 1
  if (pagesWorthIt > 0) {
    for await (const page of listPages(ports, from, FINAL)) {
      await ports.onFinal(page.flatMap((tx) => take(tx) ?? []))
      ports.onChange()
      if (--pagesWorthIt <= 0 || left.size === 0) break
    }
  }
  const rest = [...left.values()]
  for (let at = 0; at < rest.length && !ports.stop.aborted; at += LOOKS_AT_ONCE) {
    await lookAt(ports, rest.slice(at, at + LOOKS_AT_ONCE))
  }
}

/** Newest first. */
async function* listPages(
  { drover, stop }: TrackPorts,
  from: string,
  state: readonly Transaction['state'][],
): AsyncGenerator<readonly Transaction[], void> {
  for (let after: string | null | undefined; after !== null && !stop.aborted; ) {
    const options = { limit: PAGE, signal: stop, ...(after !== undefined && { after }) }
    const page = await drover.transactions.page({ from, state }, options)
    yield page.items
    after = page.next
  }
}

async function lookAt(ports: TrackPorts, rows: readonly RowStatus[]): Promise<void> {
  const { drover, board, stop } = ports
  const looked = await Promise.all(
    rows.map(async (status) => {
      const id = status.id ?? ''
      return withTransaction(status, (await drover.transactions.get(id, { signal: stop })).snapshot)
    }),
  )
  for (const status of looked) board.set(status)
  await ports.onFinal(looked.filter(({ state }) => FINAL.some((final) => final === state)))
  ports.onChange()
}
