import { expect, test } from 'vitest'
import type { TransactionQuery } from '../../api/api-client.ts'
import { ApiProblem } from '../../api/api-failure.ts'
import { LANE, SENT_TX } from '../../words/sample-resources.suite.ts'
import { findPages, findSigners, findTransactions } from './find-matches.ts'

function createApi({ next = null as string | null, status = 200 } = {}) {
  const asked: (string | Readonly<Record<string, string>>)[] = []
  const refuse = () => {
    throw new ApiProblem({ type: 'x', title: 'x', status, detail: 'no', code: 'invalid_request' })
  }
  return {
    asked,
    getTransaction: async (key: string) => {
      asked.push(key)
      return status === 200 ? SENT_TX : refuse()
    },
    listTransactions: async ({ found }: TransactionQuery) => {
      asked.push(found ?? {})
      return status === 200 ? { items: [SENT_TX], next } : refuse()
    },
  }
}

test('pages are found by name and by what is on them; with no text, all of them', () => {
  expect(findPages('audit').map(({ title }) => title)).toEqual(['Access'])
  expect(findPages(' ').map(({ title }) => title)).toContain('Overview')
})

test('signers are found by a part of the address or of the label', () => {
  const lanes = [{ ...LANE, label: 'Payouts' }]
  expect(findSigners('payo', lanes)).toHaveLength(1)
  expect(findSigners('F39fd6', lanes)[0]?.href).toBe(`#/signer/${LANE.address}`)
  expect(findSigners('', lanes)).toEqual([])
})

test.each([
  [SENT_TX.id, SENT_TX.id],
  [`0x${'AB'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
  ['17', { nonce: '17' }],
  ['order=7', { metadata: 'order=7' }],
  ['pay-', { requestIdPrefix: 'pay-' }],
])('the service is asked for %s as it should be', async (text, query) => {
  const api = createApi()
  expect(await findTransactions(text, api)).toMatchObject([{ href: `#/tx/${SENT_TX.id}` }])
  expect(api.asked).toEqual([query])
})

test('more than fit lead to the list', async () => {
  const matches = await findTransactions('pay-', createApi({ next: 'c1' }))
  expect(matches.at(-1)?.href).toBe('#/transactions?find=pay-')
})

test('what is not there, and half a word, find nothing', async () => {
  expect(await findTransactions(SENT_TX.id, createApi({ status: 404 }))).toEqual([])
  expect(await findTransactions('a=', createApi({ status: 400 }))).toEqual([])
})
