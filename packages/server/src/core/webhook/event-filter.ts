/** Which events a subscriber wants: one rule for the event stream and for webhooks. */
import { mayUse, type Reach } from '../access/caller.ts'
import type { Address } from '../hex.ts'
import type { Lane } from '../lane/lane.ts'
import type { TxState } from '../transaction/transaction.ts'
import { COMPLETING_EVENTS } from '../transaction/tx-event.ts'

/** Null selects everything. */
export interface EventFilter {
  readonly types: readonly string[] | null
  readonly chainId: number | null
  readonly signer: Address | null
  /** Only the one event of each transaction that made it final. */
  readonly completions: boolean
}

interface Event {
  readonly lane: Lane
  readonly type: string
  readonly toState: TxState | null
}

const COMPLETING: ReadonlySet<string> = new Set(COMPLETING_EVENTS)
const TERMINAL: ReadonlySet<string> = new Set(['CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED'])

export function isCompletion({ type, toState }: Pick<Event, 'type' | 'toState'>): boolean {
  return COMPLETING.has(type) && toState !== null && TERMINAL.has(toState)
}

export function matchesEvent(filter: EventFilter, reach: Reach, event: Event): boolean {
  return (
    (filter.types === null || filter.types.includes(event.type)) &&
    (filter.chainId === null || filter.chainId === event.lane.chainId) &&
    (filter.signer === null || filter.signer === event.lane.signer) &&
    (!filter.completions || isCompletion(event)) &&
    mayUse(reach, event.lane)
  )
}
