import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../kernel/bytes/hex.ts'
import type { TimerParams } from '../kernel/params/timer-params.ts'
import type { ActorHandler } from './actor.ts'
import type { BlockResult } from './apply-block.ts'
import { ACTORS, SmallChain, setTimerAction } from './small-chain.suite.ts'
import type { Action } from './transaction.ts'

const targets = Object.values(ACTORS)

/** Does what the bytes of its payload say, one after another: an actor as awkward as the context allows. */
const wilful: ActorHandler = (context, wakeUp) => {
  const payload = wakeUp.type === 'timer' ? wakeUp.entry.payloadSnapshot : wakeUp.payload
  const own = wakeUp.type === 'timer' ? wakeUp.entry.timerId : `0x${'00'.repeat(32)}`
  const terms = { payload, gasLimit: 10_000n }
  for (const [step, byte] of Buffer.from(payload.slice(2), 'hex').entries()) {
    const target = targets[(byte >> 4) % targets.length] ?? context.self
    if (byte % 16 === 0) context.setTimeout({ ...terms, dueHeight: context.height + 1n, target })
    else if (byte % 16 === 1) context.setInterval({ ...terms, everyBlocks: 1, clientNonce: byte, target })
    else if (byte % 16 === 2) context.setStateWatch({ ...terms, watchKeys: [target], target, bidFp: 1n << 95n })
    else if (byte % 16 === 3) context.cancelTimer({ timerId: own })
    else if (byte % 16 === 4) context.updateTimer({ timerId: own, bidFp: BigInt(byte) << 90n, payload: `${payload}05` })
    else if (byte % 16 === 5) context.write(`0x0${byte >> 4}`, `0x${context.height.toString(16).padStart(16, '0')}`)
    else if (byte % 16 === 6) context.send(target, `0x${payload.slice(4 + step * 2)}`, 20_000n)
    else if (byte === 0x77) while (true) context.read('0x')
    else if (byte === 0x88) throw new Error('as asked')
  }
}

const target = fc.constantFrom<Hex>(...targets)
const payload = fc
  .array(fc.oneof(fc.constantFrom(0x77, 0x88), fc.nat({ max: 255 }), fc.nat({ max: 6 })), { maxLength: 4 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)
const change = fc.constantFrom<Partial<TimerParams>>(
  { maxFiresPerBlock: 1 },
  { maxFiresPerBlock: 50, maxFiresPerTarget: 3 },
  { timerLaneCycles: 80_000n },
  { minGasLimitPerTimer: 20_000n, timerLaneCycles: 2_000_000n },
  { isolateUpdates: true },
  { maxConsecutiveFailures: 1, dedupWindow: 0n },
  { maxCellsPerFire: 300n },
  { maxBid: 1n << 90n },
  { maxTimersPerTarget: 2, maxWatchersPerPrefix: 1 },
)
const action: fc.Arbitrary<Action> = fc.oneof(
  fc
    .tuple(target, payload, fc.nat({ max: 12 }), fc.bigInt({ min: 0n, max: 1n << 97n }))
    .map(([at, each, dueHeight, bidFp]) => setTimerAction(at, { payload: each, dueHeight, bidFp })),
  fc
    .tuple(target, payload, fc.integer({ min: 1, max: 3 }))
    .map(([at, each, everyBlocks]) => setTimerAction(at, { payload: each, everyBlocks, gasLimit: 25_000n })),
  fc.tuple(target, payload, target).map(([at, each, key]) => setTimerAction(at, { payload: each, watchKeys: [key] })),
  fc.tuple(target, payload).map(([actor, each]): Action => ({ type: 'call', actor, payload: each })),
  fc
    .tuple(target, fc.bigInt({ min: 0n, max: 10n ** 7n }))
    .map(([to, amount]): Action => ({ type: 'transfer', to, amount })),
  change.map((each): Action => ({ type: 'vote_params', change: each })),
)
const plan = fc.array(fc.array(action, { maxLength: 3 }), { minLength: 3, maxLength: 16 })
const purse = fc.constantFrom(0n, 300_000n, 2_000_000n, 10n ** 9n)

function openChain(balance: bigint, shards = 1): SmallChain {
  const more = Object.fromEntries(Object.keys(ACTORS).map((name) => [name, wilful]))
  const balances = Object.fromEntries(targets.map((each) => [each, balance]))
  return new SmallChain({
    more,
    shards,
    epochLength: 2n,
    balances: { ...balances, [`0x${'0a'.repeat(20)}`]: 10n ** 9n },
  })
}

function checkBlockLaws(chain: SmallChain, { delivery, receipts, params, height }: BlockResult, supply: bigint): void {
  expect(chain.supply()).toBe(supply)
  for (const { balance } of chain.chain.head.world.accounts.values()) expect(balance).toBeGreaterThanOrEqual(0n)
  const { entries } = delivery
  expect(entries.length).toBeLessThanOrEqual(params.maxFiresPerBlock)
  expect(new Set(entries.map(({ timerId }) => timerId)).size).toBe(entries.length)
  for (const at of targets) {
    expect(entries.filter((entry) => entry.target === at).length).toBeLessThanOrEqual(params.maxFiresPerTarget)
  }
  const gas = entries.reduce((sum, { gasLimitSnapshot }) => sum + gasLimitSnapshot, 0n)
  expect(gas).toBeLessThanOrEqual(params.timerLaneCycles)
  for (const timer of chain.chain.head.world.timers.timers.values()) {
    expect(timer.dueHeight === null || timer.dueHeight > timer.createdHeight).toBe(true)
    expect(timer.createdHeight).toBeLessThanOrEqual(height)
  }
  for (const [index, receipt] of receipts.filter(({ type }) => type === 'fire').entries()) {
    expect(receipt.id).toBe(entries[index]?.deliverId)
    expect(receipt.cyclesUsed).toBeLessThanOrEqual(entries[index]?.gasLimitSnapshot ?? -1n)
    expect(receipt.cellsUsed).toBeLessThanOrEqual(params.maxCellsPerFire)
  }
}

describe('laws of every block, whatever actors do in their callbacks', () => {
  test('nothing is made or lost, no balance falls below zero, every bound holds, every fire has one receipt', () => {
    fc.assert(
      fc.property(plan, purse, (blocks, balance) => {
        const chain = openChain(balance)
        const supply = chain.supply()
        const seen = new Set<Hex>()
        for (const actions of blocks) {
          const result = chain.block(...actions)
          checkBlockLaws(chain, result, supply)
          for (const { deliverId } of result.delivery.entries) {
            expect(seen.has(deliverId)).toBe(false)
            seen.add(deliverId)
          }
        }
      }),
      { numRuns: 80 },
    )
  })
  test('R30 a fork from the first block on leaves no trace, on any number of shards', () => {
    fc.assert(
      fc.property(plan, plan, purse, (kept, abandoned, balance) => {
        const straight = openChain(balance)
        const roots = kept.map((actions) => straight.block(...actions).stateRoot)
        const wandering = openChain(balance, 3)
        const genesis = wandering.chain.head.stateRoot
        for (const actions of abandoned) wandering.block(...actions)
        wandering.chain.rewindTo(0n)
        expect(wandering.chain.head.stateRoot).toBe(genesis)
        expect(kept.map((actions) => wandering.block(...actions).stateRoot)).toEqual(roots)
      }),
      { numRuns: 25 },
    )
  })
  test('the histories are not empty of meaning', () => {
    const met = new Set<string>()
    for (const [blocks, balance] of fc.sample(fc.tuple(plan, purse), { numRuns: 120, seed: 5 })) {
      const chain = openChain(balance)
      for (const actions of blocks) {
        const { receipts, delivery, retired } = chain.block(...actions)
        for (const { outcome, type } of receipts) {
          met.add(outcome.type === 'succeeded' ? `${type} succeeded` : `${type} ${outcome.reason}`)
        }
        for (const { type } of [...delivery.evictions, ...delivery.mutations, ...retired]) met.add(type)
      }
    }
    expect([...met]).toEqual(
      expect.arrayContaining([
        'fire succeeded',
        'fire reverted',
        'fire out_of_cycles',
        'fire out_of_cells',
        'message succeeded',
        'message unfunded',
        'owner_unfunded',
        'gas_below_minimum',
        'timer.retired',
        'watch.cleared',
        'watch.pended',
      ]),
    )
  })
})
