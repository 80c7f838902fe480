/** What the steps of a lane's cycle share: its parts, what it knows between cycles, and what is derived from that. */
import type { ChainView } from '../../core/chain/finality.ts'
import type { QueueWait } from '../../core/lane/lane-problem.ts'
import type { ReservedNonce } from '../reservations/open-reservation.ts'
import type { WindowScene } from '../window/lane-window.ts'
import { createLaneParts, type LaneParts } from './lane-parts.ts'
import type { LanePorts } from './lane-ports.ts'
import { countSlots, isBlocked, type Sent } from './lane-room.ts'
import type { LaneRunner, LaneSignal } from './lane-runner.ts'
import type { Ledger } from './ledger.ts'

export interface LaneState {
  /** As of the last write; null: the lane has to be loaded. */
  ledger: Ledger | null
  /** The chain as of the last block signal. */
  view: ChainView | null
  /** Prepared transactions that wait for their nonces. */
  prepared: Extract<LaneSignal, { type: 'prepared' }> | null
  /** The first in the queue that could not be signed; undefined until the queue was read. */
  unsigned: QueueWait | null | undefined
  /** The database lost nonces that the chain has seen: no nonce is given out until an operator has looked. */
  isBehindChain: boolean
  stopped: boolean
}

export interface LaneContext {
  readonly runner: LaneRunner
  readonly ports: LanePorts
  readonly parts: LaneParts
  readonly state: LaneState
  /** Fields of every log line of the lane. */
  readonly fields: { readonly chainId: number; readonly signer: string; readonly fence: number }
  headNumber(): number | null
  /** Nonces that callers hold. A nonce that was taken back counts with the transaction that fills it. */
  reserved(): readonly ReservedNonce[]
  /** How many nonces may be given out beside these. */
  slotsBeside(sent: Sent): number
  /** How many of those the queue may take: nonces that callers are about to reserve are left to them. */
  queueSlotsBeside(sent: Sent): number
  scene(): WindowScene
}

export function createLaneContext(runner: LaneRunner, ports: LanePorts): LaneContext {
  const { lane, fence } = runner.lease
  const state: LaneState = {
    ledger: null,
    view: null,
    prepared: null,
    unsigned: undefined,
    isBehindChain: false,
    stopped: false,
  }
  const parts = createLaneParts(runner, ports, () => state.stopped)

  function reserved(): readonly ReservedNonce[] {
    const held = parts.requests.held()
    if (state.ledger === null || !held.some(({ isYielded }) => isYielded)) return held
    const sent = new Set([...state.ledger.inFlight.values()].map(({ nonce }) => nonce))
    return held.filter(({ nonce, isYielded }) => !(isYielded && sent.has(nonce)))
  }

  function slotsBeside(sent: Sent): number {
    const policy = ports.policy()
    return countSlots({ ...sent, reserved: reserved() }, parts.window.size(policy), policy)
  }

  function isNonceBlocked(nonce: number): boolean {
    return state.ledger !== null && isBlocked(nonce, state.ledger, reserved())
  }

  function headNumber(): number | null {
    return state.view?.head.number ?? null
  }

  return {
    runner,
    ports,
    parts,
    state,
    fields: { chainId: lane.chainId, signer: lane.signer, fence },
    headNumber,
    reserved,
    slotsBeside,
    queueSlotsBeside: (sent) => slotsBeside(sent) - parts.requests.slotsKept(),
    scene: () => ({ policy: ports.policy(), head: headNumber(), isBlocked: isNonceBlocked }),
  }
}
