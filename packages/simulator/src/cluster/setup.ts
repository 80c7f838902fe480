/** The world that a seed starts with: how many of everything, with which rules. */

import type { Finality } from '../../../server/src/core/chain/finality.ts'
import type { Address } from '../../../server/src/core/hex.ts'
import { FAST, type Policy, STABLE } from '../../../server/src/core/lane/policy.ts'
import type { ChainSettings } from '../../../server/src/engine/chain-unit.ts'
import type { FakeMempoolRules } from '../../../server/src/testing/chain/fake-mempool.ts'
import { type Chance, createChance } from '../chance.ts'
import type { Plan } from '../plan/plan.ts'
import type { ClockFault } from './process.ts'

export const CHAIN_ID = 31_337
export const GWEI = 1_000_000_000n
export const BLOCK_MS = 2_000

export interface Setup {
  readonly nodes: number
  readonly signers: readonly { readonly address: Address; readonly policy: Policy }[]
  readonly endpoints: readonly Partial<FakeMempoolRules>[]
  readonly chainSettings: ChainSettings
  /** Blocks above an inclusion that make it safe, and as many more that make it finalized. No reorg goes deeper than safe. */
  readonly safeDepth: number
  readonly finalizedDepth: number
  readonly hasHook: boolean
  /** The webhook gets every event; otherwise only completions. */
  readonly tellsAll: boolean
  /** Policies change during the run, so a cap may be from an earlier moment. */
  readonly policiesChange: boolean
  /** At most one RPC node lies about prices, and others always answer. */
  readonly hasHonestPrices: boolean
  nextClock(): ClockFault
}

const TIMES = { bumpAfterMs: 6_000, resubmitIntervalMs: 8_000, stuckAfterMs: 60_000 }
export const MAX_TX_FEE_WEI = 10n ** 17n

/** Per gas; above the price of a quiet chain, below that of a busy one. */
const CAP = 60n * GWEI

export const POLICIES: readonly Policy[] = [
  { ...FAST, ...TIMES, maxFeePerGasWei: CAP },
  { ...FAST, ...TIMES, maxInFlight: 4 },
  { ...FAST, ...TIMES, maxInFlight: 16, onForeignNonce: 'stuck', maxFeePerGasWei: CAP },
  { ...FAST, ...TIMES, maxInFlight: 8, externalUse: false, slotHeldUntil: 'final' },
  { ...STABLE, ...TIMES },
  { ...STABLE, ...TIMES, maxInFlight: 6 },
]

export function makeSetup({ seed, faults, steps }: Plan): Setup {
  const chance = createChance(`setup ${seed}`)
  const signers = Array.from({ length: 1 + chance.below(2) }, (_, index) => ({
    address: `0x${`${index + 1}a`.repeat(20)}` as Address,
    policy: chance.pick(POLICIES),
  }))
  const rules = chance.pick(POOL_RULES)
  const endpoints = Array.from({ length: 1 + chance.below(3) }, () => rules)
  const safeDepth = 4 + chance.below(4)
  const isOnlyPrice =
    faults.has('rpc-price') && ![...faults].some((name) => name.startsWith('rpc-') && name !== 'rpc-price')
  return {
    nodes: chance.pick([1, 2, 2, 3]),
    signers,
    endpoints,
    policiesChange: steps.some(({ kind }) => kind === 'policy'),
    hasHonestPrices: endpoints.length > 1 && isOnlyPrice,
    hasHook: chance.hits(0.4),
    tellsAll: chance.hits(0.3),
    safeDepth,
    finalizedDepth: safeDepth + 3,
    chainSettings: makeChainSettings(chance, safeDepth, faults.has('promises')),
    nextClock: () =>
      faults.has('clock-skew')
        ? { skewMs: chance.below(20_000) - 10_000, rate: 1 + (chance.below(2_001) - 1_000) / 100_000 }
        : { skewMs: 0, rate: 1 },
  }
}

/** Pools as found in practice: large, small, small without saying so, strict about gaps. */
const POOL_RULES: readonly Partial<FakeMempoolRules>[] = [
  {},
  {},
  { maxPerAccount: 4 },
  { maxPerAccount: 4, hidesRefusals: true },
  { acceptsGaps: false },
]

/** How deep an inclusion must be before it counts as final. */
export function depthOf(
  finality: Finality,
  { safeDepth, finalizedDepth }: Pick<Setup, 'safeDepth' | 'finalizedDepth'>,
) {
  if (finality.type === 'confirmations') return finality.count
  return finality.type === 'safe' ? safeDepth : finalizedDepth
}

function makeChainSettings(chance: Chance, safeDepth: number, preconfirmations: boolean): ChainSettings {
  const confirmations = { type: 'confirmations', count: safeDepth } as const
  return {
    finality: chance.pick<Finality>([confirmations, confirmations, { type: 'safe' }, { type: 'finalized' }]),
    headerWindow: 24,
    pollIntervalMs: 2_000,
    blockTimeMs: BLOCK_MS,
    standingAfterMs: null,
    staleReceiptTimeoutMs: 6_000,
    blockQueueLength: 50,
    receiptBatch: 100,
    receiptWorkers: 4,
    fetchReceiptUponEntry: false,
    maxTxFeeWei: MAX_TX_FEE_WEI,
    preconfirmations,
  }
}
