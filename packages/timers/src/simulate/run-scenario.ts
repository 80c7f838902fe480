/** Plays a scenario on the reference chain and measures each block. */
import type { BlockResult } from '../chain/apply-block.ts'
import { accountOf } from '../chain/chain-state.ts'
import { DEMO_HANDLERS } from '../chain/demo-actors.ts'
import { createReferenceChain, type ReferenceChain } from '../chain/reference-chain.ts'
import type { Action, Transaction } from '../chain/transaction.ts'
import { domainDigits, type Hex, uintDigits } from '../kernel/bytes/hex.ts'
import { listDue } from '../kernel/state/index-height.ts'
import { type BlockMeasure, createMeasure } from './block-measure.ts'
import { isOccasion, type Scenario, type TimerPlan, type Trigger } from './scenario.ts'

export interface SimulationReport {
  readonly scenario: Scenario
  readonly blocks: readonly BlockMeasure[]
  readonly plans: readonly PlanReport[]
  /** Transactions that did not do what the scenario asked, with the reason of the first. */
  readonly refusals: { readonly count: number; readonly first: string | null }
  readonly stateRoot: Hex
}

/** The results of the timers of one plan. */
export interface PlanReport {
  readonly name: string
  readonly set: number
  readonly fires: number
  readonly meanWaitBlocks: number
  readonly maxWaitBlocks: number
  /** Each fire, in order. */
  readonly served: readonly { readonly height: number; readonly waitBlocks: number }[]
}

const USER = addressOf('user:scenario')
const PRODUCER = addressOf('user:producer')
const LIMITS = { cyclesLimit: 100_000n, cellsLimit: 50_000n }

export function runScenario(scenario: Scenario): SimulationReport {
  const chain = openChain(scenario)
  const blocks: BlockMeasure[] = []
  const served = scenario.timers.map((): PlanReport['served'][number][] => [])
  const setCounts = scenario.timers.map(() => 0)
  let refused = 0
  let firstRefusal: string | null = null
  for (let block = 1; block <= scenario.blocks; block += 1) {
    const { transactions, plans } = writeBlock(scenario, chain, block)
    const result = chain.append({ producer: PRODUCER, transactions })
    for (const [index, receipt] of result.receipts.slice(0, transactions.length).entries()) {
      const plan = plans[index] ?? null
      if (receipt.outcome.type === 'succeeded') {
        if (plan !== null) setCounts[plan] = (setCounts[plan] ?? 0) + 1
        continue
      }
      refused += 1
      firstRefusal ??= receipt.outcome.type === 'failed' ? receipt.outcome.message : receipt.outcome.reason
    }
    for (const entry of result.delivery.entries) {
      const waitBlocks = Number(result.height - entry.triggerCtx.dueHeight)
      served[planOf(entry.payloadSnapshot)]?.push({ height: block, waitBlocks })
    }
    blocks.push(createMeasure(result, countWaiting(chain, result)))
  }
  const plans = scenario.timers.map(({ name }, index) => reportPlan(name, setCounts[index] ?? 0, served[index] ?? []))
  return { scenario, blocks, plans, refusals: { count: refused, first: firstRefusal }, stateRoot: chain.head.stateRoot }
}

function openChain(scenario: Scenario): ReferenceChain {
  const actors: Record<Hex, string> = {}
  for (const { name, handler } of scenario.actors) actors[addressOf(`actor:${name}`)] = handler
  for (const plan of scenario.timers.filter(({ freshTargets }) => freshTargets)) {
    const handler = scenario.actors.find(({ name }) => name === plan.actor)?.handler ?? 'counter'
    for (let block = 1; block <= scenario.blocks; block += 1) {
      if (!isOccasion(plan.occasions, block)) continue
      for (let n = 0; n < plan.count; n += 1) actors[freshTarget(plan, block, n)] = handler
    }
  }
  const owners: Hex[] = [USER, ...(Object.keys(actors) as Hex[])]
  const balances = Object.fromEntries(owners.map((owner) => [owner, scenario.balance]))
  const { params, basefees } = scenario
  return createReferenceChain({ chainId: 1n, handlers: DEMO_HANDLERS, params, basefees, balances, actors })
}

function writeBlock(
  scenario: Scenario,
  chain: ReferenceChain,
  block: number,
): { transactions: Transaction[]; plans: (number | null)[] } {
  const transactions: Transaction[] = []
  const plans: (number | null)[] = []
  const nonces = new Map<Hex, bigint>()
  const push = (from: Hex, action: Action, plan: number | null) => {
    const nonce = nonces.get(from) ?? accountOf(chain.head.world, from).nonce
    nonces.set(from, nonce + 1n)
    transactions.push({ from, nonce, ...LIMITS, action })
    plans.push(plan)
  }
  for (const [index, plan] of scenario.timers.entries()) {
    if (!isOccasion(plan.occasions, block)) continue
    for (let n = 0; n < plan.count; n += 1) {
      const target = plan.freshTargets ? freshTarget(plan, block, n) : addressOf(`actor:${plan.actor}`)
      push(target, setAction(plan, index, target, BigInt(block)), index)
    }
  }
  for (const { actor, occasions } of scenario.calls) {
    const payload: Hex = `0x${uintDigits(block, 4)}`
    if (isOccasion(occasions, block)) push(USER, { type: 'call', actor: addressOf(`actor:${actor}`), payload }, null)
  }
  return { transactions, plans }
}

function setAction(plan: TimerPlan, index: number, target: Hex, height: bigint): Action {
  const payload: Hex = `0x${uintDigits(index, 2)}${'00'.repeat(plan.payloadBytes)}`
  const terms = { target, payload, gasLimit: plan.gasLimit, bidFp: plan.bidFp }
  return { type: 'set_timer', args: { ...terms, ...scheduleOf(plan.trigger, height) } }
}

function scheduleOf(trigger: Trigger, height: bigint) {
  switch (trigger.type) {
    case 'due':
      return { kind: 'HEIGHT', dueHeight: height + BigInt(trigger.inBlocks) } as const
    case 'every':
      return { kind: 'INTERVAL', everyBlocks: trigger.blocks } as const
    case 'watch':
      return { kind: 'STATE_WATCH', watchKeys: trigger.actors.map((name) => addressOf(`actor:${name}`)) } as const
  }
}

/** The plan is written into the first two bytes of the payload. */
function planOf(payload: Hex): number {
  return Number.parseInt(payload.slice(2, 6), 16)
}

function countWaiting(chain: ReferenceChain, { height }: BlockResult): { count: number; oldest: bigint } {
  let count = 0
  let oldest = 0n
  for (const timer of listDue(chain.head.world.timers.indexHeight, null, height)) {
    if (count === 0) oldest = height - timer.dueHeight
    count += 1
  }
  return { count, oldest }
}

function reportPlan(name: string, set: number, served: PlanReport['served']): PlanReport {
  const waits = served.map(({ waitBlocks }) => waitBlocks)
  const total = waits.reduce((sum, wait) => sum + wait, 0)
  return {
    name,
    set,
    fires: waits.length,
    meanWaitBlocks: waits.length === 0 ? 0 : total / waits.length,
    maxWaitBlocks: waits.reduce((most, wait) => Math.max(most, wait), 0),
    served,
  }
}

function freshTarget(plan: TimerPlan, block: number, n: number): Hex {
  return addressOf(`fresh:${plan.name}:${block}:${n}`)
}

function addressOf(name: string): Hex {
  return `0x${domainDigits(name).slice(24)}`
}
