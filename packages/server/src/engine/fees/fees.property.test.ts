/**
 * G11 under chance: two nodes of which one may say anything, caps at every level, and transactions that are priced,
 * bumped, cancelled and filled as the chain goes on. Whatever is signed is within its cap, and where one of the two nodes
 * is honest, what is paid is a small multiple of what it says.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FeeRules, findFeeCap } from '../../core/fees/fee-cap.ts'
import { combineQuotes, type FeeQuote, type QuoteContext } from '../../core/fees/fee-quotes.ts'
import { type FeeMarket, type Fees, maxPricePerGas, SPEEDS } from '../../core/fees/fees.ts'
import { priceTransaction } from '../../core/fees/price.ts'
import { planNext } from '../../core/lane/plan-next.ts'
import { FAST } from '../../core/lane/policy.ts'
import { FILL_PRIORITY, NOOP_GAS } from '../../core/transaction/fill.ts'
import type { InFlight, Intent } from '../../core/transaction/transaction.ts'
import type { Signer, UnsignedTransaction } from '../../ports/signer.ts'
import { allocated } from '../../testing/core/sample-transactions.ts'
import { planWithinCap } from './plan-within-cap.ts'
import { signWithinCap } from './sign-within-cap.ts'

const CASES = 10_000
/** The most that a lie of one of two nodes can add: see BELIEVED_FACTOR, and twice the base fee that neighbours may differ by. */
const MAX_TIMES = 12n

const power = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) })
/** Every magnitude alike. */
const anyWei = fc.integer({ min: 0, max: 100 }).chain(power)
const fairWei = fc.integer({ min: 0, max: 40 }).chain(power)
const anyTips = fc.tuple(anyWei, anyWei, anyWei).map(([slow, standard, fast]) => ({ slow, standard, fast }))
const anyLie: fc.Arbitrary<FeeQuote> = fc.record({
  host: fc.constant('liar'),
  baseFeePerGas: fc.oneof(anyWei, fc.constantFrom('none' as const, null)),
  paidTips: fc.option(anyTips),
  suggestedTip: fc.option(anyWei),
  gasPrice: fc.option(anyWei),
})
const anyHonest = fc
  .record({
    baseFee: fairWei,
    tip: fairWei,
    spread: fc.bigInt({ min: 1n, max: 5n }),
    isQuiet: fc.boolean(),
    isOld: fc.boolean(),
  })
  .map(({ baseFee, tip, spread, isQuiet, isOld }) => ({
    host: 'honest',
    baseFeePerGas: baseFee,
    paidTips: isQuiet ? null : { slow: tip / spread, standard: tip, fast: tip * spread },
    suggestedTip: isOld ? null : tip,
    gasPrice: baseFee + tip,
  }))
const anyCap = fc.option(
  fc
    .integer({ min: 45, max: 90 })
    .chain(power)
    .map((wei) => wei + 1n),
)
const anyRules: fc.Arbitrary<FeeRules> = fc.record({
  chainMaxFeeWei: anyCap,
  policy: fc.record({ maxTxFeeWei: anyCap, maxFeePerGasWei: anyCap }),
})
const anyFees: fc.Arbitrary<Fees> = fc.oneof(
  anyWei.map((gasPrice): Fees => ({ type: 'legacy', gasPrice })),
  fc
    .tuple(anyWei, anyWei)
    .map(([tip, room]): Fees => ({ type: 'eip1559', maxPriorityFeePerGas: tip, maxFeePerGas: tip + room })),
)
const anyStep = fc.record({
  lie: anyLie,
  act: fc.constantFrom('price' as const, 'fill' as const, 'bump' as const, 'speed_up' as const, 'cancel' as const),
  speed: fc.constantFrom(...SPEEDS),
  fees: fc.option(anyFees, { freq: 3 }),
  gasLimit: fc.bigInt({ min: NOOP_GAS, max: 30_000_000n }),
  mayBeHeld: fc.boolean(),
  isRefused: fc.boolean(),
})
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

function createRecorder() {
  const signed: UnsignedTransaction[] = []
  const signer: Signer = {
    addresses: () => [],
    sign: async (_, unsigned) => {
      signed.push(unsigned)
      return { raw: '0x', hash: `0x${'00'.repeat(32)}` }
    },
  }
  return { signed, signer }
}

async function sign(signer: Signer, intent: Intent, rules: FeeRules, gasLimit: bigint, fees: Fees): Promise<void> {
  const { lane, to, data, value } = intent
  const unsigned = { chainId: 1, nonce: 0, to, data, value, gasLimit, fees }
  await signWithinCap(signer, lane.signer, unsigned, { intent, rules })
}

/** One transaction through one step, as the lane would take it. */
async function take(
  step: Step,
  tx: InFlight | null,
  market: FeeMarket,
  scene: { readonly rules: FeeRules; readonly maxFeeWei: bigint | null; readonly signer: Signer },
): Promise<InFlight | null> {
  const { rules, signer } = scene
  const add = (to: InFlight, gasLimit: bigint, fees: Fees, kind: 'original' | 'cancel' | 'bump'): InFlight => ({
    ...to,
    requestedReplacement: 'none',
    attempts: [{ hash: '0x', raw: '0x', kind, nonce: to.nonce, gasLimit, fees, createdAt: 0 }],
  })
  if (step.act === 'price' || step.act === 'fill' || tx === null) {
    const isFill = step.act === 'fill'
    const { speed, fees } = step
    const own = {
      speed,
      fees: isFill ? null : fees,
      priority: isFill ? FILL_PRIORITY : 0,
      maxFeeWei: isFill ? null : scene.maxFeeWei,
    }
    const sample = allocated()
    const fresh = { ...sample, intent: { ...sample.intent, ...own } }
    const gasLimit = isFill ? NOOP_GAS : step.gasLimit
    const price = priceTransaction(fresh.intent, market, findFeeCap(fresh.intent, gasLimit, rules))
    if (price.type === 'above_cap') return tx
    await sign(signer, fresh.intent, rules, gasLimit, price.fees)
    return add(fresh, gasLimit, price.fees, 'original')
  }
  const [newest] = tx.attempts
  if (newest === undefined) return tx
  const requestedReplacement = step.act === 'bump' ? 'none' : step.act
  const error = step.isRefused ? { code: 'underpriced', message: 'too low' } : null
  const wishing: InFlight = { ...tx, requestedReplacement, error, mayBeHeld: step.mayBeHeld }
  const { plan, gasLimit } = planWithinCap(wishing, newest.gasLimit, rules, (maxFeePerGasWei) =>
    planNext(wishing, newest, { market, policy: { ...FAST, maxFeePerGasWei }, isPatient: true }),
  )
  if (plan.type !== 'replace') return tx
  await sign(signer, tx.intent, rules, gasLimit, plan.fees)
  return add(tx, gasLimit, plan.fees, requestedReplacement === 'cancel' || newest.kind === 'cancel' ? 'cancel' : 'bump')
}

function isWithin(unsigned: UnsignedTransaction, { chainMaxFeeWei, policy }: FeeRules, keyWei: bigint | null): boolean {
  const fee = unsigned.gasLimit * maxPricePerGas(unsigned.fees)
  const isBelow = (cap: bigint | null, wei: bigint) => cap === null || wei <= cap
  return (
    [chainMaxFeeWei, policy.maxTxFeeWei, keyWei].every((cap) => isBelow(cap, fee)) &&
    isBelow(policy.maxFeePerGasWei, maxPricePerGas(unsigned.fees))
  )
}

function expectFair(market: FeeMarket, honest: FeeQuote): void {
  const { baseFeePerGas: base, paidTips, gasPrice } = honest
  if (typeof base !== 'bigint' || gasPrice === null) return
  for (const speed of SPEEDS) {
    const suggested = gasPrice - base
    const tip = paidTips === null || paidTips[speed] < suggested ? suggested : paidTips[speed]
    const fair = base + tip
    // Of a base fee no more is paid than the block asks, so that the tip is what counts.
    const paid = market.baseFeePerGas === null ? market.gasPrice : base + market.priorityFeePerGas[speed]
    if (paid > fair * MAX_TIMES + NEGLIGIBLE) throw new Error(`${paid} is paid where ${fair} is fair`)
  }
}

/** What is never called a lie, however quiet the chain is; beside the least tip of one wei. */
const NEGLIGIBLE = 2_000_000_001n

test('no signed fee is above its cap, whatever one of two nodes says and whatever is done [G11]', async () => {
  const anyCase = fc.tuple(
    anyHonest,
    fc.boolean(),
    anyRules,
    anyCap,
    fc.array(anyStep, { minLength: 2, maxLength: 10 }),
  )
  let signedInAll = 0
  await fc.assert(
    fc.asyncProperty(anyCase, async ([honest, isFirst, rules, maxFeeWei, steps]) => {
      const { signed, signer } = createRecorder()
      let last: QuoteContext['last'] = null
      let tx: InFlight | null = null
      for (const step of steps) {
        const quotes = isFirst ? [step.lie, honest] : [honest, step.lie]
        const combined = combineQuotes(quotes, { feeModel: 'auto', minTipWei: 1n, last })
        if (combined === null) throw new Error('an honest node is always enough to price by')
        const { market } = combined
        last = { market, doublings: 1 }
        expectFair(market, honest)
        const before = signed.length
        tx = await take(step, tx, market, { rules, maxFeeWei, signer })
        for (const unsigned of signed.slice(before)) {
          const isFill = tx?.intent.priority === FILL_PRIORITY
          if (!isWithin(unsigned, rules, isFill ? null : maxFeeWei)) throw new Error('signed above its cap')
        }
      }
      signedInAll += signed.length
    }),
    { numRuns: CASES },
  )
  expect(signedInAll).toBeGreaterThan(CASES)
})

test('what would be above its cap is not signed, even if it comes as far as the signature [G11]', async () => {
  const { signed, signer } = createRecorder()
  const rules = { chainMaxFeeWei: 21_000n * 10n, policy: { maxTxFeeWei: null, maxFeePerGasWei: null } }
  const { intent } = allocated()
  await sign(signer, intent, rules, 21_000n, { type: 'legacy', gasPrice: 10n })
  const above = sign(signer, intent, rules, 21_001n, { type: 'legacy', gasPrice: 10n })
  await expect(above).rejects.toThrow('but the limit is 0.000000009 gwei per gas')
  expect(signed).toHaveLength(1)
})
