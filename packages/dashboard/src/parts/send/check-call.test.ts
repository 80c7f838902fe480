import { expect, test } from 'vitest'
import { ServiceAway } from '../../api/api-failure.ts'
import type { FeesResource } from '../../api/api-resources.ts'
import { LANE } from '../../words/sample-resources.suite.ts'
import { checkCall } from './check-call.ts'

const transfer = { chainId: 1, from: '0x1', to: '0x2', value: '0' }
const offer = { maxFeePerGas: '10', maxPriorityFeePerGas: '1' }
const fees = { gasPrice: '7', speeds: { slow: offer, standard: offer, fast: offer } } as unknown as FeesResource
const payer = { balance: null, policy: { ...LANE.policy, gasLimitPercent: 120 } }
const readFees = async () => fees

test('a call that passes has its gas, and its most in fees at the limit that the signer would set', async () => {
  const api = { estimateGas: async () => ({ result: '0x5208' }), readFees }
  expect(await checkCall(api, transfer, payer)).toEqual({ type: 'passed', gas: 21_000n, maxFeeWei: 252_000n })
})

test('what the signer cannot pay fails, value and fees together', async () => {
  const api = { estimateGas: async () => ({ result: '0x5208' }), readFees }
  const holding = (wei: string) => ({
    ...payer,
    balance: { wei, at: LANE.createdAt, txCost: null, runway: null, isLow: false },
  })
  const paid = { ...transfer, value: '1000' }
  expect(await checkCall(api, paid, holding('253000'))).toMatchObject({ type: 'passed' })
  expect(await checkCall(api, paid, holding('252999'))).toEqual({
    type: 'failed',
    message: 'the signer has 252,999 wei, and this may cost 253,000 wei',
  })
})

test('a call that would revert says why; so does a service that is away', async () => {
  const reverts = { estimateGas: async () => ({ error: { message: 'execution reverted: paused' } }), readFees }
  expect(await checkCall(reverts, transfer, payer)).toEqual({ type: 'failed', message: 'execution reverted: paused' })
  const away = { estimateGas: () => Promise.reject(new ServiceAway('away')), readFees }
  expect(await checkCall(away, transfer, payer)).toEqual({ type: 'failed', message: 'away' })
})
