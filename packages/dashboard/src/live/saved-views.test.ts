import { beforeEach, expect, test } from 'vitest'
import { readViews, removeView, saveView } from './saved-views.ts'

let stored: Map<string, string>
const storage = {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => void stored.set(name, value),
}

beforeEach(() => {
  stored = new Map()
})

test('a view is kept, replaced under the same name, and removed', () => {
  saveView(storage, { name: ' Stuck ', hash: '#/transactions?state=stuck' })
  saveView(storage, { name: 'Stuck', hash: '#/transactions?state=stuck&order=asc' })
  expect(readViews(storage)).toEqual([{ name: 'Stuck', hash: '#/transactions?state=stuck&order=asc' }])
  expect(removeView(storage, 'Stuck')).toEqual([])
})

test('there are never more than twenty, and the oldest goes', () => {
  for (let index = 0; index < 30; index++) saveView(storage, { name: `view ${index}`, hash: '#/transactions' })
  expect(readViews(storage)).toHaveLength(20)
  expect(readViews(storage)[0]?.name).toBe('view 10')
})

test.each(['no json', '{}', '[1,{"name":"x"}]', '[{"name":"x","hash":"https://elsewhere.example"}]'])(
  'what is not a view is ignored: %s',
  (text) => {
    stored.set('drover.views', text)
    expect(readViews(storage)).toEqual([])
  },
)
