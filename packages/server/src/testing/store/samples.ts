/** Made-up lanes and transactions for tests: each call gives a new one, and every run gives the same ones in the same order. */
import { createHash } from 'node:crypto'
import type { Inclusion } from '../../core/chain/finality.ts'
import type { Address, Hash } from '../../core/hex.ts'
import type { Lane, Lease } from '../../core/lane/lane.ts'
import { STABLE } from '../../core/lane/policy.ts'
import type {
  Allocated,
  Attempt,
  Finished,
  Intent,
  Queued,
  Stuck,
  Tracking,
  Transaction,
} from '../../core/transaction/transaction.ts'
import type { HistoryNote } from '../../core/transaction/tx-event.ts'
import type { LaneWrite, TxSave } from '../../ports/lane-write.ts'
import type { NewTransaction, Store } from '../../ports/store.ts'

/** One for all lanes: a read that forgets the signer finds what belongs to other lanes. */
const SHARED_CHAIN_ID = 1_000
let chainIds = SHARED_CHAIN_ID

let drawn = 0
function nextHex(): string {
  drawn += 1
  return createHash('sha256').update(`sample ${drawn}`).digest('hex')
}

export function anyHash(): Hash {
  return `0x${nextHex()}`
}

/** Something for the history to say. */
export function anyNote(type = 'signer.changed'): HistoryNote {
  return { type, cause: 'operator', detail: { actor: 'ann', reason: 'test' } }
}

export function anyAddress(): Address {
  return `0x${nextHex().slice(0, 40)}`
}

/** Ids grow with each call, as those of one node do. */
let lastIdMs = 0
export function anyId(): string {
  lastIdMs = Math.max(lastIdMs + 1, Date.now())
  const hex = lastIdMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${nextHex().slice(0, 3)}-8${nextHex().slice(0, 3)}-${nextHex().slice(0, 12)}`
}

/** A chain that no other test uses, for what is read by chain alone. */
export function ownChainId(): number {
  chainIds += 1
  return chainIds
}

export function anyLane(chainId = SHARED_CHAIN_ID): Lane {
  return { chainId, signer: anyAddress() }
}

/** Two lanes that each share one half of their key with it: its chain, and its signer. */
export function neighboursOf({ chainId, signer }: Lane): readonly [sameChain: Lane, sameSigner: Lane] {
  return [
    { chainId, signer: anyAddress() },
    { chainId: ownChainId(), signer },
  ]
}

export async function registerLane(store: Store, lane: Lane = anyLane()): Promise<Lane> {
  await store.registerSigners([{ lane, policy: STABLE, label: null }])
  return lane
}

export function anyIntent(lane: Lane, over: Partial<Intent> = {}): Intent {
  return {
    lane,
    to: anyAddress(),
    data: '0x',
    value: 1n,
    gasLimit: null,
    fees: null,
    maxFeeWei: null,
    speed: 'standard',
    priority: 0,
    validUntil: null,
    requestId: null,
    requestDigest: anyHash(),
    finality: null,
    simulate: true,
    simulated: true,
    metadata: {},
    ...over,
  }
}

export function anyNew(lane: Lane, over: Partial<Intent> = {}): NewTransaction {
  return { id: anyId(), intent: anyIntent(lane, over) }
}

/** Accepted by the store, in this order. */
export async function accept(store: Store, items: readonly NewTransaction[]): Promise<readonly Queued[]> {
  const outcomes = await store.insertTransactions(items)
  return outcomes.map((outcome) => {
    if (outcome.type !== 'inserted') throw new Error(`expected an insert, got ${outcome.type}`)
    return outcome.transaction
  })
}

export async function acceptOne(store: Store, lane: Lane, over: Partial<Intent> = {}): Promise<Queued> {
  const [queued] = await accept(store, [anyNew(lane, over)])
  if (queued === undefined) throw new Error('nothing was accepted')
  return queued
}

export async function acquire(store: Store, lane: Lane, nodeId = 'node-a', ttlMs = 60_000): Promise<Lease> {
  const [lease] = await store.acquireLeases(nodeId, [lane], ttlMs)
  if (lease === undefined) throw new Error('the lease was not free')
  return lease
}

export function anyAttempt(nonce: number, over: Partial<Attempt> = {}): Attempt {
  return {
    hash: anyHash(),
    raw: '0x02f8',
    kind: 'original',
    nonce,
    gasLimit: 21_000n,
    fees: { type: 'eip1559', maxFeePerGas: 30n, maxPriorityFeePerGas: 2n },
    createdAt: 1_700_000_000_123,
    ...over,
  }
}

export function toAllocated(tx: Queued, nonce: number, lease: Pick<Lease, 'fence' | 'nodeId'>): Allocated {
  const { retryAt: _, prepareFailures: __, ...base } = tx
  const at = 1_700_000_001_000
  return {
    ...base,
    state: 'ALLOCATED',
    subState: 'signed',
    attempts: [...tx.attempts, anyAttempt(nonce)],
    nonce,
    fence: lease.fence,
    nodeId: lease.nodeId,
    allocatedAt: at,
    waitingSince: at,
    submittedAt: null,
    lastSubmitAt: null,
    submitCount: 0,
    refusals: 0,
    nextResubmitAt: at + 30_000,
    newForks: 0,
    requestedReplacement: 'none',
    mayBeHeld: false,
    refusal: null,
  }
}

export function toTracking(tx: Allocated, inclusion: Inclusion | null = null): Tracking {
  const at = tx.allocatedAt + 100
  return {
    ...tx,
    state: 'TRACKING',
    subState: inclusion === null ? 'pending' : 'mined',
    submittedAt: at,
    lastSubmitAt: at,
    submitCount: 1,
    inclusion,
    minedAt: inclusion === null ? null : at + 900,
  }
}

export function toStuck(tx: Allocated): Stuck {
  return { ...tx, state: 'STUCK', subState: 'no_inclusion', stuckAt: tx.allocatedAt + 900_000 }
}

function anyInclusion(txHash: Hash): Inclusion {
  return {
    txHash,
    blockNumber: 100,
    blockHash: anyHash(),
    txIndex: 3,
    succeeded: true,
    gasUsed: 21_000n,
    effectiveGasPrice: 12n,
    contractAddress: null,
  }
}

export function toConfirmed(tx: Allocated): Finished {
  const inclusion = anyInclusion(tx.attempts.at(-1)?.hash ?? anyHash())
  return {
    ...tx,
    state: 'CONFIRMED',
    subState: 'final',
    inclusion,
    confirmations: [{ blockNumber: 101, blockHash: anyHash() }],
    minedAt: tx.allocatedAt + 1_000,
    finalAt: tx.allocatedAt + 2_000,
  }
}

export function toSave(before: Transaction, tx: Transaction, ...types: readonly string[]): TxSave {
  return {
    before: { version: before.version, state: before.state, attemptCount: before.attempts.length },
    tx,
    notes: types.map((type) => ({ type, cause: null, detail: {} })),
  }
}

export function toWrite(lease: Lease, saves: readonly TxSave[], over: Partial<LaneWrite> = {}): LaneWrite {
  return { lease, cursor: null, saves, nonces: [], notes: [], reservations: [], reset: null, balance: null, ...over }
}

/** Writes one lane and insists that it was written; the saved transactions with their new versions. */
export async function write<T extends Transaction>(
  store: Store,
  lease: Lease,
  pairs: readonly (readonly [before: Transaction, after: T])[],
  over: Partial<LaneWrite> = {},
): Promise<readonly T[]> {
  const saves = pairs.map(([before, after]) => toSave(before, after, `to.${after.state}`))
  const [result] = await store.writeLanes([toWrite(lease, saves, over)])
  if (result?.type !== 'written') throw new Error(`expected a write, got ${JSON.stringify(result)}`)
  return pairs.map(([, after], index) => ({ ...after, version: result.versions[index] ?? 0 }))
}

/** Accepts one transaction and takes a nonce for it. */
export async function allocateOne(store: Store, lease: Lease, nonce: number): Promise<Allocated> {
  const queued = await acceptOne(store, lease.lane)
  const [allocated] = await write(store, lease, [[queued, toAllocated(queued, nonce, lease)]], {
    nonces: [{ nonce, status: 'RESERVED', txId: queued.id }],
  })
  if (allocated === undefined) throw new Error('nothing was allocated')
  return allocated
}

/** The number of the newest event of all. */
export async function lastEventId(store: Store): Promise<number> {
  let last = 0
  for (;;) {
    const page = await store.readEvents(last, 1_000)
    if (page.length === 0) return last
    last = page.at(-1)?.eventId ?? last
  }
}
