/** The status of every row of a batch, and the counts shown to people. */
import type { Transaction } from '@drover/client'
import { assessStage, hasFailed as hasStageFailed } from '@drover/server/core'

export type Goal = 'accepted' | 'mined' | 'confirmed'

export interface RowStatus {
  readonly row: number
  readonly line: number
  readonly digest: string
  readonly requestId: string
  readonly from: string
  /** Null: not accepted. */
  readonly id: string | null
  /** Null: it was accepted, and nothing else is known. */
  readonly state: Transaction['state'] | null
  /** What its block says; null while no block contains it. */
  readonly mined: 'success' | 'reverted' | null
  readonly hash: string | null
  /** A stable code and words. */
  readonly error: { readonly code: string; readonly message: string } | null
}

export interface BoardCounts {
  readonly total: number
  readonly accepted: number
  readonly mined: number
  readonly confirmed: number
  readonly failed: number
  readonly stuck: number
}

export interface Board {
  readonly total: number
  set(status: RowStatus): void
  get(row: number): RowStatus | undefined
  /** In order of rows. */
  all(): readonly RowStatus[]
  /** Refused, or it did not succeed, as far as the goal of the batch can tell. */
  hasFailed(status: RowStatus): boolean
  /** Accepted, and not there yet. */
  open(): readonly RowStatus[]
  counts(): BoardCounts
}

export function createBoard(total: number, goal: Goal): Board {
  const rows = new Map<number, RowStatus>()

  const stage = goal === 'mined' ? 'mined' : 'confirmed'

  function hasFailed(status: RowStatus): boolean {
    return status.id === null || (status.state !== 'STUCK' && hasStageFailed(factsOf(status), stage))
  }

  function isOpen(status: RowStatus): boolean {
    return goal !== 'accepted' && !hasFailed(status) && assessStage(factsOf(status), stage) !== 'reached'
  }

  return {
    total,
    set: (status) => void rows.set(status.row, status),
    get: (row) => rows.get(row),
    all: () => [...rows.values()].sort((a, b) => a.row - b.row),
    hasFailed,
    open: () => [...rows.values()].filter(isOpen),
    counts() {
      let [accepted, mined, confirmed, failed, stuck] = [0, 0, 0, 0, 0]
      for (const status of rows.values()) {
        if (status.id !== null) accepted++
        if (status.mined !== null) mined++
        if (status.state === 'CONFIRMED') confirmed++
        if (status.state === 'STUCK') stuck++
        if (hasFailed(status)) failed++
      }
      return { total, accepted, mined, confirmed, failed, stuck }
    },
  }
}

function factsOf({ state, hash, mined }: RowStatus) {
  return { state: state ?? 'QUEUED', isSigned: hash !== null, isSubmitted: mined !== null, mined } as const
}

/** A row with the data of its transaction. */
export function withTransaction(status: RowStatus, tx: Transaction): RowStatus {
  return {
    ...status,
    id: tx.id,
    state: tx.state,
    mined: tx.receipt?.status ?? null,
    hash: tx.hash,
    error: tx.error === null ? null : { code: tx.error.code, message: tx.error.reason ?? tx.error.message },
  }
}
