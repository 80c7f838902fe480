/** After the last step nothing goes wrong any more: everything must become final, or say truthfully why it cannot. */
import {
  inclusionOf,
  isInFlight,
  isTerminal,
  type Transaction,
} from '../../../server/src/core/transaction/transaction.ts'
import { FIRST } from '../chance.ts'
import { describe } from '../check/transaction-check.ts'
import { BLOCK_MS } from '../cluster/setup.ts'
import type { World } from '../cluster/world.ts'
import { calmDown, type Scene } from './take-step.ts'
import { Violation } from './violation.ts'

/** A full queue behind a small window or many refusals takes long. It must go on, and come to its end. */
const MAX_BLOCKS_WITHOUT_END = 200
const MAX_BLOCKS = 2_000
/** The cause of a stuck transaction is checked only after this many quiet blocks. */
const TIDY_STUCK_AT = 32
/** A signer that sends one at a time would take hours for a queue that came before its policy. */
const WIDEN_AT = 4
/** A transaction stuck at a fee cap can neither be mined nor replaced until someone raises the cap. */
const LIFT_CAPS_AT = 80
const UNSEEN_BLOCKS = 8
const BY = { actor: 'ann', reason: 'put in order' }

export async function comeToRest(scene: Scene): Promise<void> {
  const { world, actors } = scene
  calmDown(scene)
  world.trace.add('everything is calm from here on')
  if (world.nodes.size === 0) await world.startNode()
  // What is frozen goes on by itself: the quiet blocks count from there.
  while ([...world.nodes.values()].some(({ process }) => process.isFrozen())) await world.timeline.advance(BLOCK_MS)
  for (const lane of world.lanes)
    await world.store.updateSigner(lane, { paused: false }, { type: 'signer.changed', cause: 'operator', detail: BY })
  let [ended, endedAt] = [countEnded(world), 0]
  for (let block = 0; block < MAX_BLOCKS && block - endedAt < MAX_BLOCKS_WITHOUT_END; block++) {
    if (block % 8 === 0) await tidyUp(scene, block)
    if (block === WIDEN_AT) await widen(world)
    if (block === LIFT_CAPS_AT) await liftCaps(world)
    await world.timeline.advance(BLOCK_MS / 2 - 20)
    const { number, transactions } = world.network.mine()
    world.trace.add(`block ${number} with ${transactions.length}`)
    await world.timeline.advance(20)
    world.watcher.check()
    if (block % 3 !== 2) continue
    if (listOpen(world).length === 0 && !hasReservations(world)) break
    const now = countEnded(world)
    if (now > ended) [ended, endedAt] = [now, block]
  }
  const open = listOpen(world)
  if (open.length > 0)
    throw new Violation('liveness', `these do not come to their end: ${open.map(describe).join('; ')}`)
  if (hasReservations(world)) throw new Violation('liveness', 'a reservation does not come to its end')
  checkNonces(world)
  checkBrokenFinality(world)
  actors.repeatAll()
  actors.follow(FIRST)
  for (let round = 0; round < 40 && !(round > 2 && world.watcher.hasDelivered()); round++) {
    await world.timeline.advance(1_000)
    actors.readOn()
    await world.timeline.settle()
  }
  world.watcher.check()
  world.watcher.checkStreams()
}

/** Holders send what they named, operators resume what is suspended; later they also handle what is stuck. */
async function tidyUp({ world, actors }: Scene, block: number): Promise<void> {
  const alsoStuck = block >= TIDY_STUCK_AT
  await actors.finishHolding()
  actors.repeatAll()
  const node = [...world.nodes.values()].find(({ process }) => !process.isFrozen())
  if (node === undefined) return
  for (const tx of listOpen(world)) {
    const order = (action: 'resume' | 'retry' | 'requeue' | 'close' | 'cancel') =>
      world.watcher.guard(node.operate(tx.id, { ...BY, action }), action)
    if (tx.suspended) order('resume')
    // Its caller pays less than the chain asks: it waits until someone changes that.
    if (alsoStuck && tx.state === 'QUEUED' && tx.subState === 'fee_above_cap') order('cancel')
    if (!alsoStuck || tx.state !== 'STUCK') continue
    checkCause(world, tx)
    if (tx.subState === 'foreign_nonce') order('close')
    else order(block === TIDY_STUCK_AT ? 'retry' : 'cancel')
  }
  if (!alsoStuck) return
  for (const lane of world.lanes) {
    world.watcher.guard(node.takeBack(lane, { action: 'fill', filter: {}, by: BY }), 'take back')
    world.watcher.guard(node.fillGaps(lane, BY), 'fill gaps')
  }
}

async function widen({ store, state }: World): Promise<void> {
  for (const { lane, signer } of state.lanes.values()) {
    const { maxInFlight } = signer.policy
    if (maxInFlight === 'auto' || maxInFlight >= 16) continue
    const note = { type: 'signer.changed', cause: 'operator', detail: BY }
    await store.updateSigner(lane, { policy: { ...signer.policy, maxInFlight: 16 } }, note)
  }
}

async function liftCaps({ store, state }: World): Promise<void> {
  for (const { lane, signer } of state.lanes.values()) {
    const note = { type: 'signer.changed', cause: 'operator', detail: BY }
    await store.updateSigner(lane, { policy: { ...signer.policy, maxFeePerGasWei: null, maxTxFeeWei: null } }, note)
  }
}

/** After this many quiet blocks only these can keep a transaction open, and each is visible from outside. */
function checkCause(world: World, tx: Transaction): void {
  if (!isInFlight(tx)) return
  const count = world.network.head().accounts.get(tx.intent.lane.signer)?.nonce ?? 0
  // Newer ones may not have been seen yet.
  const seen = world.network.head().number - UNSEEN_BLOCKS
  const own = tx.attempts.some(
    ({ nonce, hash }) => nonce === tx.nonce && (world.network.canonicalBlockOf(hash)?.number ?? seen) < seen,
  )
  if (own) throw new Violation('liveness', `${describe(tx)} is stuck, and it is in a block`)
  if (tx.subState === 'foreign_nonce' && count <= tx.nonce)
    throw new Violation('liveness', `${describe(tx)} says that its nonce was used, and it was not`)
  if (tx.subState === 'no_inclusion' && countBefore(world, tx) > tx.nonce)
    throw new Violation('liveness', `${describe(tx)} says that it was not mined in time, and its nonce was used`)
}

function countBefore({ network }: World, { intent }: Transaction): number {
  const block = network.canonicalAt(Math.max(0, network.head().number - UNSEEN_BLOCKS))
  return block?.accounts.get(intent.lane.signer)?.nonce ?? 0
}

/** No nonce is missing: the chain has used every nonce below the cursor. */
function checkNonces(world: World): void {
  for (const { lane, cursor, nonces } of world.state.lanes.values()) {
    const count = world.network.head().accounts.get(lane.signer)?.nonce ?? 0
    const free = [...nonces.values()].filter(({ status }) => status === 'RECYCLABLE').map(({ nonce }) => nonce)
    const expected = free.length === 0 ? (cursor ?? 0) : Math.min(...free)
    if (cursor !== null && count < expected)
      throw new Violation('G1', `the chain counts ${count} transactions of ${lane.signer}, and the cursor is ${cursor}`)
  }
}

/** A reorg past what is final cannot be undone, but has to be told. With tags, a node that starts afterwards cannot know. */
function checkBrokenFinality({ network, state, setup, hasToldFinalReorg }: World): void {
  if (setup.chainSettings.finality.type !== 'confirmations') return
  if (hasToldFinalReorg || state.events.some(({ type }) => type === 'finality.broken')) return
  for (const { transactions } of state.lanes.values())
    for (const { tx } of transactions.values()) {
      const inclusion = isTerminal(tx) ? inclusionOf(tx) : null
      if (inclusion !== null && network.canonicalAt(inclusion.blockNumber)?.hash !== inclusion.blockHash)
        throw new Violation('G6', `${describe(tx)} is final in a block that left the chain, and nobody was told`)
    }
}

function listOpen({ state }: World): readonly Transaction[] {
  return [...state.lanes.values()].flatMap(({ transactions }) =>
    [...transactions.values()].map(({ tx }) => tx).filter((tx) => !isTerminal(tx)),
  )
}

/** Requests that nobody answered are repeated, so the number of open ones may grow at first. */
function countEnded({ state }: World): number {
  return [...state.lanes.values()].reduce(
    (count, { transactions }) => count + [...transactions.values()].filter(({ tx }) => isTerminal(tx)).length,
    0,
  )
}

function hasReservations({ state }: World): boolean {
  return [...state.lanes.values()].some(({ reservations }) =>
    [...reservations.values()].some(({ reservation }) => reservation.finalAt === null),
  )
}
