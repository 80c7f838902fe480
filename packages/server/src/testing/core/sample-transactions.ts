/** One transaction of every kind that can occur, for tests: each field differs from its neighbours so that a mix-up shows. */
import type { Confirmation, Inclusion } from '../../core/chain/finality.ts'
import type { Hash, Hex } from '../../core/hex.ts'
import type { NonceProof, NonceUser } from '../../core/lane/nonce-user.ts'
import type {
  Allocated,
  Attempt,
  AttemptKind,
  CancelledOnChain,
  Dropped,
  Finished,
  Intent,
  Queued,
  Stuck,
  SubState,
  Tracking,
} from '../../core/transaction/transaction.ts'

/** Acceptance of every sample. */
export const T0 = Date.UTC(2030, 0, 1)
export const NONCE = 7

export function hashOf(number: number): Hash {
  return `0x${number.toString(16).padStart(64, '0')}`
}

export function attemptOf(number: number, kind: AttemptKind = 'original', nonce = NONCE): Attempt {
  const raw: Hex = `0x02${number.toString(16).padStart(8, '0')}`
  const fees = { type: 'eip1559', maxFeePerGas: 30_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const
  return { hash: hashOf(number), raw, kind, nonce, gasLimit: 21_000n, fees, createdAt: T0 + 1_000 }
}

export function inclusionIn(blockNumber: number, change: Partial<Inclusion> = {}): Inclusion {
  return {
    txHash: hashOf(1),
    blockNumber,
    blockHash: hashOf(0xb000 + blockNumber),
    txIndex: 3,
    succeeded: true,
    gasUsed: 21_000n,
    effectiveGasPrice: 12_000_000_000n,
    contractAddress: null,
    ...change,
  }
}

export const CONFIRMATIONS: readonly Confirmation[] = [101, 102, 103].map((blockNumber) => ({
  blockNumber,
  blockHash: hashOf(0xb000 + blockNumber),
}))

/** A foreign transaction that is final under the samples' nonce; unless changed, it does what they were to do. */
export function proofOf(change: Partial<NonceUser> = {}, mined: Partial<Inclusion> = {}): NonceProof {
  const { lane, to, data, value } = intent
  const user = { chainId: lane.chainId, from: lane.signer, nonce: NONCE, to, data, value, isPlain: true }
  const inclusion = inclusionIn(100, { txHash: hashOf(9), ...mined })
  return { user: { ...user, minedAt: T0 + 30_000, inclusion, ...change }, confirmations: CONFIRMATIONS }
}

/** It pays somebody else. */
export function otherProof(change: Partial<NonceUser> = {}): NonceProof {
  return proofOf({ to: `0x${'c3'.repeat(20)}`, ...change })
}

const intent: Intent = {
  lane: { chainId: 31_337, signer: `0x${'a1'.repeat(20)}` },
  to: `0x${'b2'.repeat(20)}`,
  data: '0x',
  value: 5n,
  gasLimit: null,
  fees: null,
  maxFeeWei: null,
  speed: 'standard',
  priority: 0,
  validUntil: T0 + 60_000,
  requestId: 'order-17',
  requestDigest: hashOf(0xd1),
  finality: null,
  simulate: true,
  simulated: true,
  metadata: {},
}

const base = { id: 'tx-1', intent, version: 4, error: null, suspended: false, createdAt: T0, attempts: [] } as const

const signed = {
  ...base,
  attempts: [attemptOf(1)],
  nonce: NONCE,
  fence: 12,
  nodeId: 'node-a',
  allocatedAt: T0 + 1_000,
  waitingSince: T0 + 1_000,
  submittedAt: T0 + 2_000,
  lastSubmitAt: T0 + 3_000,
  submitCount: 2,
  refusals: 0,
  nextResubmitAt: T0 + 33_000,
  newForks: 0,
  requestedReplacement: 'none',
  mayBeHeld: true,
  refusal: null,
} as const

export function queued(change: Partial<Queued> = {}): Queued {
  return { ...base, state: 'QUEUED', subState: 'accepted', retryAt: null, prepareFailures: 0, ...change }
}

export function deferred(subState: SubState, change: Partial<Queued> = {}): Queued {
  const error = { code: subState, message: `deferred by ${subState}` }
  return queued({ subState, error, retryAt: T0 + 9_000, prepareFailures: 2, ...change })
}

export function allocated(change: Partial<Allocated> = {}): Allocated {
  const never = { submittedAt: null, lastSubmitAt: null, submitCount: 0, mayBeHeld: false } as const
  return { ...signed, ...never, state: 'ALLOCATED', subState: 'signed', ...change }
}

export function tracking(subState: SubState, change: Partial<Tracking> = {}): Tracking {
  return { ...signed, state: 'TRACKING', subState, inclusion: null, minedAt: null, ...change }
}

export function mined(change: Partial<Tracking> = {}): Tracking {
  return tracking('mined', { inclusion: inclusionIn(100), minedAt: T0 + 4_000, ...change })
}

export function refused(code: string, change: Partial<Tracking> = {}): Tracking {
  const subState = code === 'insufficient_funds' ? 'waiting_for_funds' : 'rejected_by_node'
  const error = { code, message: `refused for ${code}`, reason: `node words for ${code}` }
  return tracking(subState, { error, refusals: 3, ...change })
}

export function stuck(
  subState: 'rejected_by_node' | 'no_inclusion' | 'foreign_nonce',
  change: Partial<Stuck> = {},
): Stuck {
  const code = subState === 'rejected_by_node' ? 'underpriced' : subState
  const error = { code, message: `stuck by ${subState}` }
  return { ...signed, state: 'STUCK', subState, error, stuckAt: T0 + 8_000, ...change }
}

const proof = {
  inclusion: inclusionIn(100),
  confirmations: CONFIRMATIONS,
  minedAt: T0 + 4_000,
  finalAt: T0 + 5_000,
} as const

export function finished(state: 'CONFIRMED' | 'FAILED_FINAL', change: Partial<Finished> = {}): Finished {
  const inclusion = inclusionIn(100, { succeeded: state === 'CONFIRMED' })
  return { ...signed, ...proof, inclusion, state, subState: 'final', ...change }
}

export function cancelledOnChain(): CancelledOnChain {
  return { ...signed, ...proof, attempts: [attemptOf(1, 'cancel')], state: 'CANCELLED', subState: 'cancelled' }
}

export function dropped(state: Dropped['state'], subState: SubState, change: Partial<Dropped> = {}): Dropped {
  return { ...base, state, subState, nonce: null, finalAt: T0 + 5_000, ...change }
}
