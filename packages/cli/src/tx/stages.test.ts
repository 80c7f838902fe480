import { assessWait, type Transaction } from '@drover/client'
import { expect, test } from 'vitest'
import { PLAIN } from '../output/style.ts'
import { presentTransaction } from './present-transaction.ts'
import { listSteps } from './stages.ts'

const queued: Transaction = {
  id: 'a',
  chainId: 1,
  from: '0x01',
  to: '0x02',
  data: '0x',
  value: '1',
  gasLimit: null,
  nonce: null,
  state: 'QUEUED',
  subState: 'accepted',
  hash: null,
  hashes: [],
  attempts: 0,
  receipt: null,
  inclusion: null,
  confirmations: { count: 0, required: 3, newForks: 0 },
  error: null,
  simulated: true,
  requestId: null,
  metadata: {},
  createdAt: '',
  submittedAt: null,
  minedAt: null,
  finalAt: null,
  fence: null,
  node: null,
  approval: null,
  fees: null,
  speed: 'standard',
  priority: 0,
  validUntil: null,
  suspended: false,
  submitCount: 0,
  lastSubmitAt: null,
  nextResubmitAt: null,
  stuckAt: null,
}
const sent: Transaction = {
  ...queued,
  state: 'TRACKING',
  subState: 'pending',
  nonce: 7,
  hash: '0xaa',
  attempts: 2,
  submittedAt: 'x',
}
const mined: Transaction = {
  ...sent,
  subState: 'mined',
  inclusion: { blockNumber: 9, blockHash: '0xbb' },
  receipt: {
    transactionHash: '0xaa',
    transactionIndex: 0,
    blockNumber: 9,
    blockHash: '0xbb',
    status: 'success',
    gasUsed: '1',
    effectiveGasPrice: '1',
    fee: '1',
    contractAddress: null,
  },
  confirmations: { count: 1, required: 3, newForks: 0 },
}
const final: Transaction = {
  ...mined,
  state: 'CONFIRMED',
  subState: 'final',
  finalAt: 'x',
  confirmations: { count: 9, required: 3, newForks: 0 },
}

const reached = (tx: Transaction) =>
  listSteps(tx)
    .filter((step) => step.reached)
    .map(({ name }) => name)

test('the steps light up one after the other', () => {
  expect(reached(queued)).toEqual(['accepted'])
  expect(reached(sent)).toEqual(['accepted', 'nonce', 'sent'])
  expect(reached(mined)).toEqual(['accepted', 'nonce', 'sent', 'mined'])
  expect(reached(final)).toEqual(['accepted', 'nonce', 'sent', 'mined', 'confirmations', 'final'])
  expect(listSteps(sent)[2]?.detail).toBe('0xaa (attempt 2)')
  expect(listSteps(mined)[4]?.detail).toBe('1/3')
  expect(listSteps(final)[4]?.detail).toBe('3/3')
})

test.each<[Transaction, 'submitted' | 'mined' | 'confirmed', string]>([
  [queued, 'submitted', 'waiting'],
  [sent, 'submitted', 'reached'],
  [sent, 'mined', 'waiting'],
  [mined, 'mined', 'reached'],
  [mined, 'confirmed', 'waiting'],
  [final, 'confirmed', 'reached'],
  [{ ...sent, state: 'STUCK' }, 'confirmed', 'failed'],
  [{ ...queued, state: 'EXPIRED' }, 'submitted', 'failed'],
  [{ ...mined, receipt: mined.receipt && { ...mined.receipt, status: 'reverted' } }, 'mined', 'failed'],
  [{ ...mined, receipt: mined.receipt && { ...mined.receipt, status: 'reverted' } }, 'confirmed', 'waiting'],
  [{ ...final, state: 'FAILED_FINAL' }, 'confirmed', 'failed'],
])('%#: until %s', (tx, until, verdict) => {
  expect(assessWait(tx, until)).toBe(verdict)
})

test('a price is in gwei, however high; an amount is in ETH', () => {
  const fees = { maxFeePerGas: '2000000000000', maxPriorityFeePerGas: '1000000000', gasPrice: null }
  const text = presentTransaction({ ...queued, value: '2000000000000000000', fees }, PLAIN)
  expect(text).toContain('maxFeePerGas 2000 gwei, maxPriorityFeePerGas 1 gwei')
  expect(text).toContain('2 ETH')
})
