/** What the storm itself saw, with times. The checker compares it with the chain, the database and the deliveries. */
import type { FaultKind } from './plan-faults.ts'

export type Path = 'http' | 'batch' | 'json_rpc' | 'reservation' | 'probe'

export interface Lane {
  readonly chainId: number
  readonly signer: string
}

/** One requested intent. Its marker is its call data, so the chain shows how often it ran. */
export interface Asked {
  readonly marker: string
  readonly path: Path
  readonly lane: Lane
  accepted: boolean
  /** An operator cancelled it: it may end CANCELLED. */
  cancelled: boolean
}

/** A transaction that the holder of a reserved nonce signed. */
export interface OwnTransaction {
  readonly chainId: number
  readonly raw: string
  readonly hash: string
}

export interface FaultRecord {
  readonly kind: FaultKind
  readonly startedAt: number
  endedAt: number
  /** When the probe that was sent as it started was mined. */
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
  /** Nodes that gave up, and anything else that did not recover from a fault. */
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
