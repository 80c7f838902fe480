/** Resources for tests: a whole one each, of which a test changes what it is about. */
import { transaction } from '../../../client/src/testing/stub-service.ts'
import type { EventResource, LaneResource, TransactionResource } from '../api/api-resources.ts'

const SIGNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const HASH = `0x${'ab'.repeat(32)}`

export const QUEUED_TX: TransactionResource = transaction({
  id: '0192f1c2-7d1e-7c11-9a3e-5b1f0c9a77d1',
  chainId: 31337,
  from: SIGNER,
  to: SIGNER,
  confirmations: { count: 0, required: 12, newForks: 0 },
  requestId: null,
})

export const SENT_TX: TransactionResource = {
  ...QUEUED_TX,
  state: 'TRACKING',
  subState: 'pending',
  nonce: 7,
  hash: HASH,
  hashes: [HASH],
  attempts: 1,
  submittedAt: '2030-01-01T00:00:02.000Z',
}

export const MINED_TX: TransactionResource = {
  ...SENT_TX,
  subState: 'mined',
  inclusion: { blockNumber: 1_000, blockHash: HASH },
  receipt: {
    transactionHash: HASH,
    transactionIndex: 0,
    blockNumber: 1_000,
    blockHash: HASH,
    status: 'success',
    gasUsed: '21000',
    effectiveGasPrice: '1',
    fee: '21000',
    contractAddress: null,
  },
  confirmations: { count: 3, required: 12, newForks: 0 },
  minedAt: '2030-01-01T00:00:05.000Z',
}

export const ALLOCATED_EVENT: EventResource = {
  eventId: 2,
  transactionId: SENT_TX.id,
  chainId: 31337,
  from: SIGNER,
  type: 'nonce.allocated',
  cause: null,
  fromState: 'QUEUED',
  toState: 'ALLOCATED',
  subState: 'signed',
  node: 'node-1',
  fence: 1,
  detail: { nonce: 7 },
  at: '2030-01-01T00:00:01.000Z',
  count: 1,
  lastAt: '2030-01-01T00:00:01.000Z',
  completion: null,
}

export const LANE: LaneResource = {
  chainId: 31337,
  address: SIGNER,
  label: null,
  paused: false,
  policy: {
    preset: 'stable',
    maxInFlight: 1,
    slotHeldUntil: 'final',
    maxUnfinal: 10_000,
    resubmitIntervalMs: 30_000,
    stuckAfterMs: 900_000,
    maxSubmitAttempts: 10,
    mayReplace: 'on_order',
    bumpAfterMs: 30_000,
    onDeferral: 'hold',
    lowBalance: null,
    lowRunway: 20,
    externalUse: false,
    onForeignNonce: 'stuck',
    gasLimitPercent: 120,
    maxFeePerGas: null,
    maxTxFee: null,
    finality: null,
  },
  nextNonce: 8,
  queued: 0,
  inFlight: 0,
  stuck: 0,
  reserved: 0,
  free: 0,
  lowestReserved: null,
  stuckReserved: 0,
  balance: null,
  chain: null,
  problems: [],
  window: { size: 1, reason: 'at_limit', ceiling: null, since: '2030-01-01T00:00:00.000Z' },
  lastConfirmationAt: null,
  lastNonceMovementAt: null,
  lease: { node: 'node-1', fence: 1, expiresAt: '2030-01-01T00:00:15.000Z', live: true },
  createdAt: '2030-01-01T00:00:00.000Z',
}
