/** Gathers the context of a transaction, and explains it. */
import { AppError } from '../../core/app-error.ts'
import { type Explanation, explain } from '../../core/explain/explain.ts'
import type { ExplainContext } from '../../core/explain/explanation.ts'
import type { LaneProblem } from '../../core/lane/lane-problem.ts'
import { presentWindow } from '../../core/lane/window.ts'
import {
  type InFlight,
  inclusionOf,
  isInFlight,
  isTerminal,
  type Transaction,
} from '../../core/transaction/transaction.ts'
import type { LoadedLane } from '../../ports/lane-write.ts'
import type { ApiServices } from '../api-services.ts'
import { findNodeWithout } from '../present/present-lane.ts'

type Services = Pick<
  ApiServices,
  | 'store'
  | 'clock'
  | 'nodeId'
  | 'viewOf'
  | 'finalityOf'
  | 'baseFeeOf'
  | 'sendEndpointsOf'
  | 'healthOf'
  | 'countOf'
  | 'silentNodes'
  | 'ownKeys'
>

export async function explainTransaction(tx: Transaction, services: Services): Promise<Explanation> {
  const { store, clock } = services
  const { lane, finality } = tx.intent
  const isUnmined = isInFlight(tx) && inclusionOf(tx) === null
  const [queueAhead, [status], loaded, baseFeeWei, count, [reset]] = await Promise.all([
    store.countAhead(tx.id),
    store.listLaneStatus({ lane }),
    isTerminal(tx) ? null : store.loadLane(lane),
    isUnmined ? services.baseFeeOf(lane.chainId) : null,
    isUnmined ? services.countOf(lane) : null,
    tx.state === 'QUEUED' ? store.listResets(lane, 1) : [],
  ])
  const inFlight = loaded?.inFlight ?? []
  if (status === undefined) throw new AppError('internal', `transaction ${tx.id} belongs to no lane`)
  const { signer, lease } = status
  const head = services.viewOf(lane.chainId)?.head
  const context: ExplainContext = {
    now: clock.now(),
    policy: signer.policy,
    finality: finality ?? services.finalityOf(lane),
    chain: services.healthOf(lane.chainId, findWait(inFlight)),
    head: head?.number ?? null,
    headTime: head === undefined ? null : head.timestamp * 1_000,
    baseFeeWei,
    queueAhead,
    sendsOnlyTo: services.sendEndpointsOf(lane),
    lane: {
      paused: signer.paused,
      ...(signer.sendsPrivately && { sendsPrivately: { nodeWithout: findNodeWithout(lane, services) } }),
      lowestReserved: status.lowestReserved,
      owner: lease && { ...lease, ...findSilence(services, lease.nodeId) },
      isKeyHere: services.ownKeys.find(lane.signer) !== null,
      inFlight: inFlight.length + status.reserved,
      reserved: status.reserved,
      unmined: inFlight.filter((each) => inclusionOf(each) === null).length + status.reserved,
      window: status.health.window && presentWindow(status.health.window),
      lowestUnmined: findLowest(inFlight),
      ...findUsedNonce(status.health.problems),
      ...(signer.policy.onDeferral === 'hold' && findHeldBy(status.health.problems)),
      ...(reset?.state === 'CANCELLING' && { cancelling: { resetId: reset.id, left: reset.progress?.left ?? 0 } }),
      missingNonces: findMissing(count, loaded, status.lowestReserved?.nonce ?? null),
    },
  }
  // It may have taken its nonce since it was read. The explanation must match the state of its lane.
  return explain(inFlight.find(({ id }) => id === tx.id) ?? tx, context)
}

function findSilence({ silentNodes }: Services, nodeId: string) {
  const silent = silentNodes().find((node) => node.nodeId === nodeId)
  return { address: silent?.address ?? null, silentSince: silent?.heartbeatAt ?? null }
}

/**
 * Nonces the chain has not counted and no transaction holds: below all in flight, reserved or free, and above the
 * count.
 */
function findMissing(
  count: number | null,
  lane: LoadedLane | null,
  lowestReserved: number | null,
): ExplainContext['lane']['missingNonces'] {
  if (count === null || lane === null) return null
  const held = [...lane.inFlight.map(({ nonce }) => nonce), ...lane.recyclable, lowestReserved ?? lane.cursor ?? 0]
  const lowest = Math.min(...held)
  return count < lowest ? { from: count, to: lowest - 1 } : null
}

/** Since when the lane has been waiting for a block. Null if none of its transactions is waiting. */
function findWait(inFlight: readonly InFlight[]): number | null {
  const since = inFlight.filter((tx) => inclusionOf(tx) === null).map(({ waitingSince }) => waitingSince)
  return since.length === 0 ? null : Math.min(...since)
}

function findUsedNonce(problems: readonly LaneProblem[]): Pick<ExplainContext['lane'], 'usedNonce'> {
  const used = problems.find(({ code, count }) => code === 'foreign_nonce' && count === null)
  return used?.nonce == null ? {} : { usedNonce: used.nonce }
}

/** What the first in the queue waits for. Problems that concern something in flight have a nonce. */
function findHeldBy(problems: readonly LaneProblem[]): Pick<ExplainContext['lane'], 'heldBy'> {
  const heldBy = problems.find(({ txId, nonce, code }) => txId !== null && nonce === null && code !== 'foreign_nonce')
  return heldBy === undefined ? {} : { heldBy }
}

function findLowest(inFlight: readonly InFlight[]): ExplainContext['lane']['lowestUnmined'] {
  const unmined = inFlight.filter((tx) => inclusionOf(tx) === null)
  const [lowest] = unmined.sort((a, b) => a.nonce - b.nonce)
  return lowest === undefined ? null : { txId: lowest.id, nonce: lowest.nonce, state: lowest.state }
}
