/**
 * A transaction as a trace, made from its events: one span for its whole life and one for each stage. All ids follow from
 * the id of the transaction, so every node makes the same trace, and a repeat replaces nothing and adds nothing new.
 */
import { createHash } from 'node:crypto'
import type { TxState } from '../core/transaction/transaction.ts'
import type { HistoryEntry } from '../ports/history.ts'

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, string | number>>
  readonly events: readonly SpanEvent[]
  /** What went wrong; null: nothing did. */
  readonly error: string | null
}

interface SpanEvent {
  readonly name: string
  readonly atMs: number
}

/** When each stage ended, as far as it is known. */
export interface TraceDraft {
  readonly acceptedAt: number | null
  readonly allocatedAt: number | null
  readonly sentAt: number | null
  readonly minedAt: number | null
  readonly events: readonly SpanEvent[]
}

export const NEW_DRAFT: TraceDraft = { acceptedAt: null, allocatedAt: null, sentAt: null, minedAt: null, events: [] }

/** What is worth seeing inside a trace, besides its stages. */
const SHOWN = new Set(['attempt.added', 'inclusion.reorged', 'stuck.declared', 'nonce.lost', 'prepare.deferred'])
const MAX_EVENTS = 32
/** As W3C Trace Context defines it; all zeros mean nothing. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

export function addEntry(draft: TraceDraft, { type, toState, at }: HistoryEntry): TraceDraft {
  const isOperator = type.startsWith('operator.')
  const isShown = (SHOWN.has(type) || isOperator || toState === 'STUCK') && draft.events.length < MAX_EVENTS
  const events = isShown ? [...draft.events, { name: type, atMs: at }] : draft.events
  if (type === 'accepted') return { ...draft, events, acceptedAt: at }
  if (type === 'inclusion.seen') return { ...draft, events, minedAt: at, sentAt: draft.sentAt ?? at }
  if (type === 'inclusion.reorged') return { ...draft, events, minedAt: null }
  return { ...draft, ...stageOf(draft, toState, at), events }
}

function stageOf(draft: TraceDraft, toState: TxState | null, at: number): Partial<TraceDraft> {
  if (toState === 'ALLOCATED') return { allocatedAt: at }
  if (toState === 'TRACKING' && draft.sentAt === null) return { sentAt: at }
  // It lost its nonce, and starts again.
  if (toState === 'QUEUED') return { allocatedAt: null, sentAt: null, minedAt: null }
  return {}
}

export function isComplete({ acceptedAt }: TraceDraft): boolean {
  return acceptedAt !== null
}

/** The spans of a transaction that has ended, with the entry that ended it. */
export function toSpans(draft: TraceDraft, end: HistoryEntry): readonly Span[] {
  const { txId, completion, toState, at: endedAt } = end
  if (txId === null || completion === null) return []
  const acceptedAt = draft.acceptedAt ?? draft.allocatedAt ?? endedAt
  const [, givenTrace, parent = null] = TRACEPARENT.exec(completion.metadata.traceparent ?? '') ?? []
  const traceId = givenTrace ?? txId.replaceAll('-', '')
  const idOf = (name: string) => createHash('sha256').update(`${txId}/${name}`).digest('hex').slice(0, 16)
  const root: Span = {
    traceId,
    spanId: idOf('transaction'),
    parentSpanId: parent,
    name: 'transaction',
    startMs: acceptedAt,
    endMs: endedAt,
    attributes: describe(end),
    events: draft.events,
    error: toState === 'CONFIRMED' ? null : (completion.error?.message ?? toState ?? end.type),
  }
  const stages = [
    ['queue', acceptedAt, draft.allocatedAt],
    ['send', draft.allocatedAt, draft.sentAt],
    ['mine', draft.sentAt, draft.minedAt],
    ['finality', draft.minedAt, endedAt],
  ] as const
  const children = stages.flatMap(([name, startMs, until]) => {
    // A stage that was not left lasted until the end.
    const endMs = until ?? endedAt
    const span = {
      traceId,
      spanId: idOf(name),
      parentSpanId: root.spanId,
      name,
      attributes: {},
      events: [],
      error: null,
    }
    return startMs === null || endMs < startMs ? [] : [{ ...span, startMs, endMs }]
  })
  return [root, ...children]
}

function describe({ txId, lane, toState, nodeId, fence, completion }: HistoryEntry): Span['attributes'] {
  return {
    'drover.transaction_id': txId ?? '',
    'drover.chain_id': lane.chainId,
    'drover.signer': lane.signer,
    'drover.state': toState ?? '',
    ...(completion?.requestId != null && { 'drover.request_id': completion.requestId }),
    ...(completion?.inclusion != null && { 'drover.block_number': completion.inclusion.blockNumber }),
    ...(nodeId !== null && { 'drover.node_id': nodeId }),
    ...(fence !== null && { 'drover.fence': fence }),
  }
}
