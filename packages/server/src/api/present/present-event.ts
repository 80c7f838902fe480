/** A history entry as JSON. */
import { type Caller, hasScope } from '../../core/access/caller.ts'
import type { Completion, HistoryEntry } from '../../ports/history.ts'
import type { EventResource } from '../contract/resources/event-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentInstant } from '../contract/values/instant.ts'
import { presentError } from './present-error.ts'
import { presentReceipt } from './present-receipt.ts'

export function presentEvent(entry: HistoryEntry): EventResource {
  const { eventId, txId, lane, type, cause, fromState, toState, subState, nodeId, fence, count } = entry
  return {
    eventId,
    type,
    cause,
    fromState,
    toState,
    subState,
    fence,
    count,
    transactionId: txId,
    chainId: lane.chainId,
    from: checksumAddress(lane.signer),
    node: nodeId,
    detail: Object.fromEntries(Object.entries(entry.detail).map(([name, value]) => [name, withoutBigints(value)])),
    at: presentInstant(entry.at),
    lastAt: presentInstant(entry.lastAt),
    completion: entry.completion && presentCompletion(entry.completion),
  }
}

export function presentEventFor(caller: Caller, entry: HistoryEntry): EventResource {
  return presentEvent(mayKnowHolder(caller, entry) ? entry : withoutHolder(entry))
}

/** As everywhere, only an operator sees more of another tenant's reservation than that the nonce is taken. */
export function mayKnowHolder(caller: Caller, { type, detail }: HistoryEntry): boolean {
  if (!type.startsWith('reservation.')) return true
  return caller.tenant === null || hasScope(caller, 'operate') || detail.tenant === caller.tenant
}

const SEEN_BY_ALL: readonly string[] = ['nonce', 'lockedUntil', 'blockNumber']

export function withoutHolder(entry: HistoryEntry): HistoryEntry {
  const seen = Object.entries(entry.detail).filter(([name]) => SEEN_BY_ALL.includes(name))
  return { ...entry, detail: Object.fromEntries(seen) }
}

function presentCompletion({ requestId, metadata, inclusion, error }: Completion): EventResource['completion'] {
  return {
    requestId,
    metadata: { ...metadata },
    receipt: inclusion && presentReceipt(inclusion),
    error: error && presentError(error),
  }
}

/** Details are free-form and may contain amounts, which JSON can only carry as text. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(withoutBigints)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutBigints(part)]))
}
