/** What the storm itself saw, with its times: the checker holds it against the chain, the database and what was delivered. */
import type { FaultKind } from './plan-faults.ts'

export type Path = 'http' | 'batch' | 'json_rpc' | 'reservation' | 'probe'

export interface Lane {
  readonly chainId: number
  readonly signer: string
}

/** One thing that was asked for. Its marker is its call data, so that the chain itself tells how often it ran. */
export interface Asked {
  readonly marker: string
  readonly path: Path
  readonly lane: Lane
  accepted: boolean
  /** An operator ordered it to be cancelled: it may end CANCELLED. */
  cancelled: boolean
}

/** A transaction that a holder of a reserved nonce signed itself. */
export interface OwnTransaction {
  readonly chainId: number
  readonly raw: string
  readonly hash: string
}

export interface FaultRecord {
  readonly kind: FaultKind
  readonly startedAt: number
  endedAt: number
  /** When the probe that was asked for as it began was mined. */
  probeMinedAt: number | null
}

export interface SeenEvent {
  readonly eventId: number
  readonly txId: string | null
  readonly type: string
}

export interface StormLog {
  readonly asked: Map<string, Asked>
  readonly own: OwnTransaction[]
  readonly faults: FaultRecord[]
  readonly skipped: string[]
  readonly stream: SeenEvent[]
  readonly webhooks: (SeenEvent & { readonly messageId: string })[]
  /** Nodes that gave up, and what else did not come back from a fault. */
  readonly broken: string[]
  /** Answers that no fault explains. */
  readonly refused: string[]
  readonly takeoverMs: number[]
  readonly handoverMs: number[]
  readonly cuts: { stream: number }
  /** Full disks that the database ran into. */
  writesWithoutRoom: number
}

export function createStormLog(): StormLog {
  return {
    asked: new Map(),
    own: [],
    faults: [],
    skipped: [],
    stream: [],
    webhooks: [],
    refused: [],
    broken: [],
    takeoverMs: [],
    handoverMs: [],
    cuts: { stream: 0 },
    writesWithoutRoom: 0,
  }
}
