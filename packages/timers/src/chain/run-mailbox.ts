/** The mailbox phase (R26): waiting messages first, then the fires in mailbox order, each on its own snapshot. */

import { type Hex, uintDigits } from '../kernel/bytes/hex.ts'
import type { MailboxEntry } from '../kernel/deliver/mailbox-entry.ts'
import { escrowOf, tipOf } from '../kernel/ready/escrow.ts'
import { type BlockTerms, wakeActor } from './actor-context.ts'
import type { Prices } from './basefee.ts'
import { type Billed, billRun } from './bill-run.ts'
import { accountOf, type Message, moveBalance, type World } from './chain-state.ts'
import { rejectedReceipt } from './receipt.ts'

interface MailboxTerms extends BlockTerms {
  readonly prices: Prices
}

interface MailboxRun {
  readonly world: World
  readonly runs: readonly Billed[]
  /** Timers whose entry did not succeed. */
  readonly failed: ReadonlySet<Hex>
}

/** Messages share a lane as wide as the timers', oldest first; what does not fit waits, what never could is dropped. */
export function runMailbox(start: World, entries: readonly MailboxEntry[], terms: MailboxTerms): MailboxRun {
  const runs: Billed[] = []
  const failed = new Set<Hex>()
  const { taken, messages } = takeMessages(start.messages, terms.params.timerLaneCycles)
  let world = holdEscrows({ ...start, messages }, entries, terms)
  for (const [place, message] of taken.entries()) {
    const run = runMessage(world, message, place, terms)
    world = run.world
    runs.push(run)
  }
  for (const entry of entries) {
    const run = runFire(world, entry, terms)
    world = run.world
    runs.push(run)
    if (run.receipt.outcome.type !== 'succeeded') failed.add(entry.timerId)
  }
  return { world, runs, failed }
}

/** From the front of the queue, as many as the lane holds; the rest is not looked at. */
function takeMessages(
  queue: World['messages'],
  lane: bigint,
): { taken: readonly Message[]; messages: World['messages'] } {
  const taken: Message[] = []
  const numbers: bigint[] = []
  let room = lane
  for (const { key: number, value: message } of queue.entries()) {
    if (message.gasLimit <= lane) room -= message.gasLimit
    if (room < 0n) break
    taken.push(message)
    numbers.push(number)
  }
  return { taken, messages: queue.deleteMany(numbers) }
}

/** The selection reserved these; they are held before anything runs, so that no run can spend another's escrow. */
function holdEscrows(world: World, entries: readonly MailboxEntry[], terms: MailboxTerms): World {
  return entries.reduce((next, entry) => moveBalance(next, entry.owner, -escrowOfEntry(entry, terms)), world)
}

function escrowOfEntry(entry: MailboxEntry, { prices, params }: MailboxTerms): bigint {
  const terms = { gasLimit: entry.gasLimitSnapshot, bidFp: entry.bidSnapshot }
  return escrowOf(terms, { basefeeCycles: prices.cycles, basefeeCells: prices.cells }, params)
}

function runFire(world: World, entry: MailboxEntry, terms: MailboxTerms): Billed {
  const { deliverId: id, owner: payer, target } = entry
  return billRun(world, {
    type: 'fire',
    id,
    payer,
    escrow: escrowOfEntry(entry, terms),
    limits: { cycles: entry.gasLimitSnapshot, cells: terms.params.maxCellsPerFire },
    prices: terms.prices,
    tipFor: (cyclesUsed) => tipOf(entry.bidSnapshot, cyclesUsed, terms.params.maxBid),
    body: (frame) => wakeActor(frame, target, { type: 'timer', entry }, terms),
  })
}

function runMessage(world: World, message: Message, place: number, terms: MailboxTerms): Billed {
  const { from, to, payload, gasLimit } = message
  const id: Hex = `0x${uintDigits(terms.height, 8)}${uintDigits(place, 4)}`
  // Sent before the lane was narrowed: waiting for a lane that may never come back would hold up all behind it.
  if (gasLimit > terms.params.timerLaneCycles) {
    return { world, receipt: rejectedReceipt('message', id, from, 'lane_too_narrow'), changedKeys: [] }
  }
  const escrow = gasLimit * terms.prices.cycles + terms.params.maxCellsPerFire * terms.prices.cells
  if (accountOf(world, from).balance < escrow) {
    return { world, receipt: rejectedReceipt('message', id, from, 'unfunded'), changedKeys: [] }
  }
  return billRun(moveBalance(world, from, -escrow), {
    type: 'message',
    id,
    payer: from,
    escrow,
    limits: { cycles: gasLimit, cells: terms.params.maxCellsPerFire },
    prices: terms.prices,
    tipFor: () => 0n,
    body: (frame) => wakeActor(frame, to, { type: 'message', from, payload }, terms),
  })
}
