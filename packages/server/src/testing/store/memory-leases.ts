/** Leases and nodes of the in-memory store, by its clock. */
import { type Lane, type Lease, laneKey } from '../../core/lane/lane.ts'
import type { AcquiredLease, RenewedLease } from '../../ports/lane-write.ts'
import type { LiveNode, Store } from '../../ports/store.ts'
import { FORGET_AFTER_TTLS } from '../../store/rules/node-life.ts'
import { isLeaseLive, type MemoryLane, type MemoryState, notify, sortedLanes } from './memory-state.ts'

export function acquireInMemory(
  state: MemoryState,
  nodeId: string,
  lanes: readonly Lane[],
  ttlMs: number,
  privately: readonly Lane[] = [],
): readonly AcquiredLease[] {
  const wanted = new Set(lanes.map(laneKey))
  const own = new Set(privately.map(laneKey))
  const free = sortedLanes(state).filter(
    (lane) =>
      wanted.has(laneKey(lane.lane)) &&
      !isLeaseLive(state, lane) &&
      (lane.signer.sendsPrivately !== true || own.has(laneKey(lane.lane))),
  )
  return free.map((lane) => {
    const takenFrom = lane.owner
    lane.owner = nodeId
    lane.fence += 1
    lane.expiresAt = state.now() + ttlMs
    lane.wantedBy = null
    return { ...toLease(lane), ...(takenFrom !== null && { takenFrom }) }
  })
}

export function renewInMemory(state: MemoryState, nodeId: string, ttlMs: number): readonly RenewedLease[] {
  const mine = heldBy(state, nodeId)
  for (const lane of mine) lane.expiresAt = state.now() + ttlMs
  return mine.map((lane) => ({ ...toLease(lane), wantedBy: lane.wantedBy }))
}

export function requestInMemory(state: MemoryState, nodeId: string, lanes: readonly Lane[]): void {
  for (const wanted of lanes) {
    const lane = state.lanes.get(laneKey(wanted))
    if (lane !== undefined && isLeaseLive(state, lane) && lane.owner !== nodeId) lane.wantedBy = nodeId
  }
}

export function releaseInMemory(state: MemoryState, leases: readonly Lease[]): void {
  for (const lease of leases) {
    const lane = state.lanes.get(laneKey(lease.lane))
    if (lane === undefined || lane.owner !== lease.nodeId || lane.fence !== lease.fence) continue
    lane.owner = null
    lane.expiresAt = Number.NEGATIVE_INFINITY
    lane.wantedBy = null
    notify(state, { type: 'lane.released', lane: lane.lane })
  }
}

export function listLeasesInMemory(state: MemoryState): readonly Lease[] {
  return sortedLanes(state)
    .filter((lane) => isLeaseLive(state, lane))
    .map(toLease)
}

export function heldBy(state: MemoryState, nodeId: string): readonly MemoryLane[] {
  return sortedLanes(state).filter((lane) => lane.owner === nodeId && isLeaseLive(state, lane))
}

export function heartbeatInMemory(state: MemoryState, node: Parameters<Store['heartbeat']>[0]) {
  const { nodeId, address, ttlMs, chains } = node
  const nowMs = state.now()
  const earlier = state.nodes.get(nodeId)
  state.nodes.set(nodeId, {
    nodeId,
    address,
    chains,
    ttlMs,
    startedAt: earlier?.startedAt ?? nowMs,
    heartbeatAt: nowMs,
  })
  for (const [id, other] of state.nodes) {
    if (other.heartbeatAt < nowMs - other.ttlMs * FORGET_AFTER_TTLS) state.nodes.delete(id)
  }
  if (earlier === undefined) notify(state, { type: 'nodes.changed' })
  const silentAfterMs = node.silentAfterMs ?? ttlMs
  const silent = [...state.nodes.values()]
    .filter((other) => other.heartbeatAt < nowMs - silentAfterMs)
    .map(({ nodeId, address, heartbeatAt }) => ({ nodeId, address, heartbeatAt }))
    .sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
  return { nowMs, nodes: listNodesInMemory(state), silent }
}

export function listNodesInMemory(state: MemoryState): readonly LiveNode[] {
  return [...state.nodes.values()]
    .filter((node) => node.heartbeatAt >= state.now() - node.ttlMs)
    .sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
    .map(({ ttlMs: _, ...node }) => node)
}

function toLease({ lane, owner, fence }: MemoryLane): Lease {
  if (owner === null) throw new Error('a free lane has no lease')
  return { lane, nodeId: owner, fence }
}
