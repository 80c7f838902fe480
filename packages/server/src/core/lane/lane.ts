/** A lane is one signer on one chain: the unit of order, of leases and of nonces. */
import type { Address } from '../hex.ts'

export interface Lane {
  readonly chainId: number
  readonly signer: Address
}

export type LaneKey = `${number}:${Address}`

export function laneKey(lane: Lane): LaneKey {
  return `${lane.chainId}:${lane.signer}`
}

/** A node's exclusive, expiring right to advance a lane. `fence` grows with every change of hands. */
export interface Lease {
  readonly lane: Lane
  readonly nodeId: string
  readonly fence: number
}
