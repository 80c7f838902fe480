/** What the routes need from the rest of the service, and no more: the composition root hands it over. */
import type { Finality, Header } from '../core/finality.ts'
import type { Lane } from '../core/lane.ts'
import type { Accept } from '../engine/accept.ts'
import type { LiveNode, Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'

export type StoreReads = Pick<
  Store,
  | 'findTransaction'
  | 'findTransactionByHash'
  | 'listTransactions'
  | 'readHistory'
  | 'readEvents'
  | 'listLaneStatus'
  | 'listLeases'
>

export interface ChainStatus {
  readonly chainId: number
  /** Null until the first block was seen. */
  readonly head: Header | null
  readonly safe: number | null
  readonly finalized: number | null
  readonly finality: Finality
  /** The head is known and the follower keeps up with it. */
  readonly following: boolean
  /** Why it does not, in words that may be shown; never a URL with a key in it. */
  readonly lastError: string | null
}

export interface ReadinessProblem {
  /** `database`, `schema`, or `chain` and its id. */
  readonly part: string
  readonly message: string
}

export interface ApiServices {
  readonly nodeId: string
  readonly accept: Accept
  readonly store: StoreReads
  /** This node's view of every chain it follows; from memory. */
  chainStatus(): readonly ChainStatus[]
  /** Height of the canonical head as this node sees it; null while it is unknown. */
  headOf(chainId: number): number | null
  /** The rule for a lane whose transaction names none: the signer's, else the chain's. */
  finalityOf(lane: Lane): Finality
  listNodes(): Promise<readonly LiveNode[]>
  /** Empty: ready. */
  readiness(): Promise<readonly ReadinessProblem[]>
  readonly telemetry: Telemetry
  /** Folder of the built web page; null where the service has none. */
  readonly dashboardDir: string | null
}
