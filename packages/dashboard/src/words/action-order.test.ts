import { expect, test } from 'vitest'
import { orderActions, recommendAction } from './action-order.ts'

const option = (action: 'cancel' | 'close' | 'requeue' | 'retry' | 'resume' | 'suspend') => ({ action, effect: 'x' })

test('what the advice names comes first; what ends the transaction comes last', () => {
  const advice = 'Find out who uses it. Then `drover tx requeue <id> --reason "…"` or `drover tx close <id>`.'
  const options = [option('cancel'), option('suspend'), option('close'), option('requeue')]
  expect(orderActions({ advice, options }).map(({ action }) => action)).toEqual([
    'requeue',
    'suspend',
    'cancel',
    'close',
  ])
})

test('what moves it on comes before what holds it back', () => {
  const options = [option('suspend'), option('retry'), option('cancel')]
  expect(orderActions({ advice: null, options }).map(({ action }) => action)).toEqual(['retry', 'suspend', 'cancel'])
})

test('nothing is recommended where the service recommends nothing, or nothing that can be done', () => {
  expect(recommendAction({ advice: null, options: [option('retry'), option('cancel')] })).toBeNull()
  expect(recommendAction({ advice: 'Run `drover tx explain <id>`.', options: [option('retry')] })).toBeNull()
})

test('what an operator suspended is to be resumed', () => {
  expect(recommendAction({ advice: null, options: [option('cancel'), option('resume')] })?.action).toBe('resume')
})
