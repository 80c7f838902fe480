/**
 * One block of the reference chain, end to end (R26): transactions → deliver → execute the mailbox → fees and burn →
 * system hooks → commit. A pure function: the same state, block and handlers give the same bytes anywhere.
 */

import type { Hex } from '../kernel/bytes/hex.ts'
import { applyDelivery, type Retirement } from '../kernel/deliver/apply-delivery.ts'
import { type Delivery, deliver } from '../kernel/deliver/deliver.ts'
import { paramsAt } from '../kernel/params/param-schedule.ts'
import type { TimerParams } from '../kernel/params/timer-params.ts'
import type { Handlers } from './actor.ts'
import { nextPrices, type Prices } from './basefee.ts'
import type { Billed } from './bill-run.ts'
import { accountOf, type ChainState, moveBalance, type World } from './chain-state.ts'
import { isCanonicalAddress } from './is-well-formed.ts'
import type { Receipt } from './receipt.ts'
import { runMailbox } from './run-mailbox.ts'
import { runTransaction, type TransactionTerms } from './run-transaction.ts'
import { sealState } from './seal-state.ts'
import type { Transaction } from './transaction.ts'

export interface Block {
  readonly producer: Hex
  readonly transactions: readonly Transaction[]
}

export interface ChainRules {
  readonly handlers: Handlers
  readonly governors?: ReadonlySet<Hex>
  /** Any number gives the same blocks. */
  readonly shards?: number
}

export interface BlockResult {
  readonly height: bigint
  readonly stateRoot: Hex
  readonly params: TimerParams
  readonly receipts: readonly Receipt[]
  readonly delivery: Delivery
  readonly retired: readonly Retirement[]
  readonly used: Prices
  /** Prices this block was billed at. */
  readonly basefees: Prices
  readonly burned: bigint
  readonly tips: bigint
}

export interface AppliedBlock {
  readonly state: ChainState
  readonly result: BlockResult
}

export function applyBlock(before: ChainState, block: Block, rules: ChainRules): AppliedBlock {
  if (!isCanonicalAddress(block.producer)) throw new RangeError('producer must be an address in lower case')
  const height = before.height + 1n
  const params = paramsAt(before.world.schedule, height)
  const terms = { height, params, handlers: rules.handlers, prices: before.basefees }

  const { world, runs } = runTransactions(before.world, block, { ...terms, governors: rules.governors ?? new Set() })
  const delivery = deliver(world.timers, {
    height,
    parentStateRoot: before.stateRoot,
    modifiedKeys: [...before.lateKeys, ...runs.flatMap(({ changedKeys }) => changedKeys)],
    params,
    shards: rules.shards ?? 1,
    funds: {
      basefeeCycles: before.basefees.cycles,
      basefeeCells: before.basefees.cells,
      balanceOf: (owner) => accountOf(world, owner).balance,
    },
  })

  const mailbox = runMailbox(world, delivery.entries, terms)
  const receipts = [...runs, ...mailbox.runs].map(({ receipt }) => receipt)
  const used = receipts.reduce(addUse, NO_USE)
  const burned = receipts.reduce((sum, receipt) => sum + receipt.burned, 0n)
  const tips = receipts.reduce((sum, receipt) => sum + receipt.tip, 0n)

  const { state: timers, retired } = applyDelivery(mailbox.world.timers, delivery, mailbox.failed)
  const state = sealState(before, {
    height,
    world: { ...moveBalance(mailbox.world, block.producer, tips), timers },
    basefees: nextPrices(before.basefees, used),
    burned: before.burned + burned,
    lateKeys: [...new Set(mailbox.runs.flatMap(({ changedKeys }) => changedKeys))].sort(),
  })
  const result = {
    height,
    stateRoot: state.stateRoot,
    params,
    receipts,
    delivery,
    retired,
    used,
    basefees: before.basefees,
    burned,
    tips,
  }
  return { state, result }
}

function runTransactions(
  start: World,
  { transactions }: Block,
  terms: Omit<TransactionTerms, 'used'>,
): { readonly world: World; readonly runs: readonly Billed[] } {
  const runs: Billed[] = []
  let world = start
  let used = NO_USE
  for (const transaction of transactions) {
    const run = runTransaction(world, transaction, { ...terms, used })
    world = run.world
    used = addUse(used, run.receipt)
    runs.push(run)
  }
  return { world, runs }
}

const NO_USE: Prices = { cycles: 0n, cells: 0n }

function addUse(sum: Prices, receipt: Receipt): Prices {
  return { cycles: sum.cycles + receipt.cyclesUsed, cells: sum.cells + receipt.cellsUsed }
}
