import { expect, test } from 'vitest'
import type { DueDelivery } from '../ports/webhook-store.ts'
import { createDeliveryPlaces } from './delivery-places.ts'

const due = (webhookId: string, id: string) => ({ delivery: { id, webhookId } }) as DueDelivery
const many = (webhookId: string, count: number) =>
  Array.from({ length: count }, (_, index) => due(webhookId, `${webhookId}-${index}`))

function createPlaces() {
  const places = createDeliveryPlaces(4)
  return { ...places, takeAll: () => places.take().map((each) => each.due) }
}

test('a new receiver gets two places, and one more with each success', () => {
  const { add, takeAll, settled, mostOf } = createPlaces()
  add(many('a', 10))
  const first = takeAll()
  expect(first).toHaveLength(2)
  expect(takeAll()).toEqual([])
  for (const each of first) settled(each, true)
  expect(takeAll()).toHaveLength(4)
  expect(mostOf('a')).toBe(20)
})

test('a failure takes them away: what is read ahead waits until few are under way', () => {
  const { add, takeAll, settled, mostOf } = createPlaces()
  add(many('a', 20))
  for (const each of takeAll()) settled(each, true)
  const [failed, ...others] = takeAll()
  if (failed === undefined) throw new Error('four are under way')
  settled(failed, false)
  expect([takeAll().length, mostOf('a')]).toEqual([0, 2])
  for (const each of others) settled(each, false)
  expect(takeAll()).toHaveLength(2)
})

test('all webhooks together have so many places, and none goes beyond them', () => {
  const { add, takeAll, settled, left } = createPlaces()
  for (let index = 0; index < 150; index++) add(many(`w${index}`, 5))
  const sent = takeAll()
  expect([sent.length, left()]).toEqual([200, 0])
  const [one] = sent
  if (one === undefined) throw new Error('200 are under way')
  settled(one, true)
  expect(takeAll()).toHaveLength(1)
})

test('what was read ahead for a webhook that another node serves now is dropped', () => {
  const { add, takeAll, keepOnly, busyOf } = createPlaces()
  add([...many('a', 3), ...many('b', 3)])
  keepOnly((id) => id === 'b')
  expect(takeAll().map(({ delivery }) => delivery.webhookId)).toEqual(['b', 'b'])
  expect([busyOf('a').length, busyOf('b').length]).toEqual([0, 3])
})
