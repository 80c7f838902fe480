import { expect, test } from 'vitest'
import { ApiProblem, ServiceAway } from '../../../api/api-failure.ts'
import type { ExplanationResource } from '../../../api/api-resources.ts'
import { SENT_TX } from '../../../words/sample-resources.suite.ts'
import { actOnAll, explainAll, offerActions, previewAction } from './bulk-plan.ts'

const items = Array.from({ length: 20 }, (_, index) => ({ ...SENT_TX, id: `tx-${index}` }))
const option = (action: 'retry' | 'cancel') => ({ action, effect: `${action} it` })

test('actions are offered with the number of transactions that they are possible for', async () => {
  const api = {
    explainTransaction: async (id: string) => {
      const options = id === 'tx-3' ? [option('retry'), option('cancel')] : [option('cancel')]
      return { options } as unknown as ExplanationResource
    },
  }
  const prospects = await explainAll(api, items)
  expect(prospects.map(({ tx }) => tx.id)).toEqual(items.map(({ id }) => id))
  expect(offerActions(prospects)).toEqual([
    { action: 'cancel', count: 20 },
    { action: 'retry', count: 1 },
  ])
  const possible = previewAction(prospects, 'retry').filter(({ effect }) => effect !== null)
  expect(possible).toEqual([{ tx: items[3], effect: 'retry it' }])
})

test('one refusal does not stop the others, and a lost answer is called unknown', async () => {
  const done: string[] = []
  const api = {
    operate: async (id: string) => {
      if (id === 'tx-1') {
        throw new ApiProblem({ type: 'x', title: 'x', status: 409, detail: 'It is final.', code: 'action_forbidden' })
      }
      if (id === 'tx-2') throw new ServiceAway('away')
      done.push(id)
      return SENT_TX
    },
  }
  const results = await actOnAll(api, items.slice(0, 4), 'cancel', 'because')
  expect(done).toEqual(['tx-0', 'tx-3'])
  expect(results.map(({ problem }) => problem)).toEqual([
    null,
    'It is final.',
    'No response. It may or may not have been done.',
    null,
  ])
})
