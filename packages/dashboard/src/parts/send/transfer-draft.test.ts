import { expect, test } from 'vitest'
import { ApiProblem, ServiceAway } from '../../api/api-failure.ts'
import type { Problem } from '../../api/api-resources.ts'
import { SENT_TX } from '../../words/sample-resources.suite.ts'
import { formTransfer, sendTransfer } from './transfer-draft.ts'

const REFUSED: Problem = {
  type: 't',
  title: 'Malformed.',
  status: 400,
  detail: 'to is wrong.',
  code: 'invalid_request',
}
const reject = (error: Error) => sendTransfer(() => Promise.reject(error))

test('typed amounts become exact wei', () => {
  expect(formTransfer(31337, { from: '0x1', to: ' 0x2 ', value: '0.01' })).toEqual({
    transfer: { chainId: 31337, from: '0x1', to: '0x2', value: '10000000000000000' },
  })
  expect(formTransfer(31337, { from: '0x1', to: '0x2', value: '1e3' })).toHaveProperty('fields.value')
})

test('every result of a send has a message; no answer is not a refusal', async () => {
  expect(await sendTransfer(async () => SENT_TX)).toEqual({ type: 'accepted', transaction: SENT_TX })
  expect(await reject(new ApiProblem(REFUSED))).toMatchObject({ type: 'refused' })
  expect(await reject(new ServiceAway('no answer'))).toEqual({ type: 'unknown', message: 'no answer' })
  const broken: Problem = { ...REFUSED, status: 500, code: 'internal', detail: 'broken' }
  expect(await reject(new ApiProblem(broken))).toEqual({ type: 'unknown', message: 'broken' })
  await expect(reject(new Error('bug'))).rejects.toThrow('bug')
})
