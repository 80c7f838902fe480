/** The transaction phase: each runs on its own snapshot, and only what it changed for good wakes watches (R13). */
import type { Hex } from '../kernel/bytes/hex.ts'
import { voteParams } from '../kernel/params/param-schedule.ts'
import type { Refusal } from '../kernel/params/refusal.ts'
import { addTarget, removeTarget } from '../kernel/state/timer-state.ts'
import { type BlockTerms, createTimerCalls, wakeActor } from './actor-context.ts'
import { MAX_USE, type Prices } from './basefee.ts'
import { type Billed, billRun } from './bill-run.ts'
import { accountOf, moveBalance, type World } from './chain-state.ts'
import { checkChainParams } from './check-chain-params.ts'
import { isWellFormed } from './is-well-formed.ts'
import { type RejectionReason, rejectedReceipt } from './receipt.ts'
import { CYCLE_COSTS } from './resource-costs.ts'
import { type Action, actorAddressOf, type Transaction, transactionIdOf } from './transaction.ts'
import { type Frame, Reverted } from './world-frame.ts'

export interface TransactionTerms extends BlockTerms {
  readonly prices: Prices
  /** Used by earlier transactions of the block. */
  readonly used: Prices
  readonly governors: ReadonlySet<Hex>
}

export function runTransaction(world: World, transaction: Transaction, terms: TransactionTerms): Billed {
  const { from, nonce, cyclesLimit, cellsLimit, tipPerCycle = 0n, action } = transaction
  if (!isWellFormed(transaction)) {
    return { world, receipt: rejectedReceipt('transaction', '0x', from, 'malformed'), changedKeys: [] }
  }
  const id = transactionIdOf(transaction)
  const { prices } = terms
  const escrow = cyclesLimit * (prices.cycles + tipPerCycle) + cellsLimit * prices.cells
  const reason = findRejection(world, transaction, escrow, terms)
  if (reason !== null) return { world, receipt: rejectedReceipt('transaction', id, from, reason), changedKeys: [] }
  const account = accountOf(world, from)
  const counted = {
    ...world,
    accounts: world.accounts.set(from, { balance: account.balance - escrow, nonce: nonce + 1n }),
  }
  return billRun(counted, {
    type: 'transaction',
    id,
    payer: from,
    escrow,
    limits: { cycles: cyclesLimit, cells: cellsLimit },
    prices,
    tipFor: (cyclesUsed) => tipPerCycle * cyclesUsed,
    body: (frame) => perform(frame, transaction, action, terms),
  })
}

function findRejection(world: World, tx: Transaction, escrow: bigint, terms: TransactionTerms): RejectionReason | null {
  const account = accountOf(world, tx.from)
  if (tx.nonce !== account.nonce) return 'wrong_nonce'
  // The timer lane is kept free for timers, however full the block is.
  const cyclesLeft = MAX_USE.cycles - terms.params.timerLaneCycles - terms.used.cycles
  if (tx.cyclesLimit > cyclesLeft || tx.cellsLimit > MAX_USE.cells - terms.used.cells) return 'block_full'
  return account.balance < escrow ? 'unfunded' : null
}

function perform(frame: Frame, { from, nonce }: Transaction, action: Action, terms: TransactionTerms): void {
  const timers = createTimerCalls(frame, from, terms)
  switch (action.type) {
    case 'transfer':
      transfer(frame, from, action.to, action.amount)
      break
    case 'deploy':
      deploy(frame, from, actorAddressOf(from, nonce), action.handler, terms)
      break
    case 'destroy':
      destroy(frame, from, action.actor)
      break
    case 'call':
      wakeActor(frame, action.actor, { type: 'call', from, payload: action.payload }, terms)
      break
    case 'set_timer':
      orRevert(timers.set(action.args))
      break
    case 'update_timer':
      orRevert(timers.update(action.args))
      break
    case 'cancel_timer':
      orRevert(timers.cancel(action.args))
      break
    case 'vote_params':
      vote(frame, from, action.change, terms)
      break
  }
}

function orRevert(outcome: { readonly type: string } | Refusal): void {
  if ('code' in outcome) throw new Reverted(`${outcome.code}: ${outcome.message}`)
}

function transfer(frame: Frame, from: Hex, to: Hex, amount: bigint): void {
  frame.meter.chargeCycles(CYCLE_COSTS.transfer)
  if (accountOf(frame.world, from).balance < amount) throw new Reverted('the balance does not cover it')
  frame.world = moveBalance(moveBalance(frame.world, from, -amount), to, amount)
}

function deploy(frame: Frame, from: Hex, address: Hex, handler: string, { handlers }: BlockTerms): void {
  frame.meter.chargeCycles(CYCLE_COSTS.deploy)
  if (!Object.hasOwn(handlers, handler)) throw new Reverted(`no handler named ${handler}`)
  frame.meter.chargeCells(BigInt(20 + handler.length))
  const actors = frame.world.actors.set(address, { handler, deployer: from })
  frame.world = { ...frame.world, actors, timers: addTarget(frame.world.timers, address) }
}

/** Removes an actor and its storage; its timers are evicted as they come due (R21). */
function destroy(frame: Frame, from: Hex, address: Hex): void {
  frame.meter.chargeCycles(CYCLE_COSTS.deploy)
  const { world } = frame
  if (world.actors.get(address)?.deployer !== from) throw new Reverted('only its deployer may destroy an actor')
  const keys: Hex[] = []
  for (const { key } of world.storage.entries((name) => name < address)) {
    if (!key.startsWith(address)) break
    keys.push(key)
  }
  const storage = world.storage.deleteMany(keys)
  frame.world = { ...world, storage, actors: world.actors.delete(address), timers: removeTarget(world.timers, address) }
}

function vote(frame: Frame, from: Hex, change: unknown, terms: TransactionTerms): void {
  frame.meter.chargeCycles(CYCLE_COSTS.write)
  if (!terms.governors.has(from)) throw new Reverted('only governors vote')
  const outcome = voteParams(frame.world.schedule, terms.height, change)
  if (outcome.type === 'refused') throw new Reverted(`${outcome.code}: ${outcome.message}`)
  const fault = checkChainParams(outcome.params)
  if (fault !== null) throw new Reverted(`${fault.code}: ${fault.message}`)
  frame.world = { ...frame.world, schedule: outcome.schedule }
}
