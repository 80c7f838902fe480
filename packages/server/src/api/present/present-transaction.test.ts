import { expect, test } from 'vitest'
import type { ChainView, Finality, Inclusion } from '../../core/chain/finality.ts'
import type { Attempt, Finished, Intent, Queued, Tracking, Transaction } from '../../core/transaction/transaction.ts'
import { blockHash, createTestView } from '../../testing/api/create-test-api.ts'
import { transactionResource } from '../contract/resources/transaction-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentTransaction } from './present-transaction.ts'

const SIGNER = '0x52908400098527886e0f7030069857d2e4169ee7'
const TARGET = '0x8617e340b3d01fa5f11f306f4090fd50e238070d'
const HASHES = [`0x${'a1'.repeat(32)}`, `0x${'a2'.repeat(32)}`] as const
const BLOCK_HASH = blockHash(100)
const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

const around = {
  viewOf: (): ChainView | null => createTestView({ from: 105, head: 110 }),
  finalityOf: (): Finality => ({ type: 'confirmations', count: 12 }),
}

const intent: Intent = {
  lane: { chainId: 1, signer: SIGNER },
  to: TARGET,
  data: '0xabcd',
  value: 10n ** 24n,
  gasLimit: null,
  fees: null,
  maxFeeWei: null,
  speed: 'fast',
  priority: 0,
  validUntil: null,
  requestId: 'order-17',
  requestDigest: `0x${'00'.repeat(32)}`,
  finality: null,
  simulate: true,
  simulated: true,
  metadata: { order: '17' },
}

const base = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  intent,
  version: 1,
  error: null,
  suspended: false,
  createdAt: AT,
} as const
const queued: Queued = {
  ...base,
  state: 'QUEUED',
  subState: 'accepted',
  attempts: [],
  retryAt: null,
  prepareFailures: 0,
}

function attempt(hash: Attempt['hash'], kind: Attempt['kind']): Attempt {
  const fees = { type: 'eip1559', maxFeePerGas: 2n, maxPriorityFeePerGas: 1n } as const
  return { hash, raw: '0x02', kind, nonce: 7, gasLimit: 50_000n, fees, createdAt: AT }
}

const signed = {
  ...base,
  attempts: [attempt(HASHES[0], 'original'), attempt(HASHES[1], 'bump')] as const,
  nonce: 7,
  fence: 3,
  nodeId: 'node-a',
  allocatedAt: AT,
  waitingSince: AT,
  submittedAt: AT + 1,
  lastSubmitAt: AT + 1,
  submitCount: 2,
  refusals: 0,
  nextResubmitAt: AT,
  newForks: 1,
  requestedReplacement: 'none' as const,
  mayBeHeld: true,
  refusal: null,
} as const

const inclusion: Inclusion = {
  txHash: HASHES[0],
  blockNumber: 100,
  blockHash: BLOCK_HASH,
  txIndex: 4,
  succeeded: true,
  gasUsed: 40_000n,
  effectiveGasPrice: 10n ** 9n,
  contractAddress: TARGET,
}
const tracking: Tracking = { ...signed, state: 'TRACKING', subState: 'mined', inclusion, minedAt: AT + 2 }
const finished: Finished = {
  ...signed,
  state: 'CONFIRMED',
  subState: 'final',
  inclusion,
  minedAt: AT + 2,
  finalAt: AT + 3,
  confirmations: [{ blockNumber: 101, blockHash: BLOCK_HASH }],
}

test('an access list is shown as it was asked for', () => {
  const accessList = [{ address: TARGET, storageKeys: [BLOCK_HASH] }] as const
  expect(presentTransaction({ ...queued, intent: { ...queued.intent, accessList } }, around)).toMatchObject({
    accessList: [{ address: checksumAddress(TARGET), storageKeys: [BLOCK_HASH] }],
  })
})

test('a queued transaction has nothing of the chain', () => {
  expect(presentTransaction(queued, around)).toEqual({
    id: base.id,
    chainId: 1,
    from: '0x52908400098527886E0F7030069857D2E4169EE7',
    to: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    data: '0xabcd',
    value: '1000000000000000000000000',
    gasLimit: null,
    nonce: null,
    fees: null,
    speed: 'fast',
    priority: 0,
    validUntil: null,
    notBefore: null,
    accessList: null,
    state: 'QUEUED',
    subState: 'accepted',
    hash: null,
    hashes: [],
    attempts: 0,
    receipt: null,
    inclusion: null,
    confirmations: { count: 0, required: 12, newForks: 0 },
    error: null,
    simulated: true,
    requestId: 'order-17',
    metadata: { order: '17' },
    createdAt: '2026-01-02T03:04:05.678Z',
    submittedAt: null,
    minedAt: null,
    finalAt: null,
    fence: null,
    node: null,
    approval: null,
    suspended: false,
    submitCount: 0,
    lastSubmitAt: null,
    nextResubmitAt: null,
    stuckAt: null,
  })
})

test('what was asked for is shown as it was asked', () => {
  const fees = { type: 'eip1559', maxFeePerGas: 30n, maxPriorityFeePerGas: 2n } as const
  const asked = { ...intent, fees, speed: 'slow', priority: 3, validUntil: AT } as const
  expect(presentTransaction({ ...queued, intent: asked }, around)).toMatchObject({
    fees: { maxFeePerGas: '30', maxPriorityFeePerGas: '2' },
    speed: 'slow',
    priority: 3,
    validUntil: '2026-01-02T03:04:05.678Z',
  })
})

test('how often it was sent, when it is sent again, and since when it is stuck', () => {
  const stuck: Transaction = { ...signed, state: 'STUCK', subState: 'no_inclusion', stuckAt: AT + 5 }
  const sent = { submitCount: 2, submittedAt: '2026-01-02T03:04:05.679Z', lastSubmitAt: '2026-01-02T03:04:05.679Z' }
  expect(presentTransaction(stuck, around)).toMatchObject({
    ...sent,
    suspended: false,
    nextResubmitAt: '2026-01-02T03:04:05.678Z',
    stuckAt: '2026-01-02T03:04:05.683Z',
  })
  // What is held back, or in a block, is not sent again.
  expect(presentTransaction({ ...stuck, suspended: true }, around)).toMatchObject({
    ...sent,
    suspended: true,
    nextResubmitAt: null,
  })
  expect(presentTransaction(tracking, around)).toMatchObject({ ...sent, nextResubmitAt: null, stuckAt: null })
  expect(presentTransaction(finished, around)).toMatchObject({ ...sent, nextResubmitAt: null })
})

test('an included one shows the attempt that was included, not the newest', () => {
  expect(presentTransaction(tracking, around)).toMatchObject({
    nonce: 7,
    hash: HASHES[0],
    hashes: HASHES,
    attempts: 2,
    gasLimit: '50000',
    fence: 3,
    node: 'node-a',
    inclusion: { blockNumber: 100, blockHash: BLOCK_HASH },
    receipt: {
      transactionHash: HASHES[0],
      transactionIndex: 4,
      blockNumber: 100,
      blockHash: BLOCK_HASH,
      status: 'success',
      gasUsed: '40000',
      effectiveGasPrice: '1000000000',
      contractAddress: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    },
    confirmations: { count: 10, required: 12, newForks: 1 },
    submittedAt: '2026-01-02T03:04:05.679Z',
    minedAt: '2026-01-02T03:04:05.680Z',
    finalAt: null,
  })
  expect(presentTransaction({ ...tracking, inclusion: null, minedAt: null }, around).hash).toBe(HASHES[1])
})

test('confirmations are never fewer than those that made it final, whatever this node has seen so far', () => {
  const count = (tx: Transaction, head: number | null) =>
    presentTransaction(tx, { ...around, viewOf: () => (head === null ? null : createTestView({ from: 90, head })) })
      .confirmations.count
  expect([count(finished, null), count(finished, 99), count(finished, 150)]).toEqual([1, 1, 50])
  expect([count(tracking, null), count(tracking, 99), count(tracking, 100)]).toEqual([0, 0, 0])
})

test('a block that the chain has moved away from confirms nothing', () => {
  const viewOf = () => createTestView({ from: 90, head: 110 })
  const moved: Tracking = { ...tracking, inclusion: { ...inclusion, blockHash: blockHash(7) } }
  expect(presentTransaction(moved, { ...around, viewOf }).confirmations.count).toBe(0)
})

test("its own finality comes before the lane's", () => {
  const own = { ...queued, intent: { ...queued.intent, finality: { type: 'safe' } as const } }
  expect(presentTransaction(own, around).confirmations.required).toBe('safe')
})

test.each([queued, tracking, finished])('$state fits the published schema', (tx) => {
  const shown = presentTransaction(tx, around)
  expect(transactionResource.strict().parse(shown)).toEqual(shown)
  expect(JSON.stringify(shown)).not.toContain('"raw"')
})
