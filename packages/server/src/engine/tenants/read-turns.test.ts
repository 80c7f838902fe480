import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createReadTurns } from './read-turns.ts'

function create(isCrowded: boolean) {
  const clock = createManualClock()
  const turns = createReadTurns({ clock, isCrowded: () => isCrowded })
  const started: string[] = []
  const read = (tenant: string, rows: number): void => {
    void turns.run(tenant, async () => {
      started.push(tenant)
      return { items: new Array<number>(rows), next: null }
    })
  }
  return { clock, read, started }
}

test('a tenant that is alone reads several lists at once', async () => {
  const { clock, read, started } = create(false)
  for (let index = 0; index < 4; index++) read('one', 200)
  await clock.settle()
  expect(started).toHaveLength(4)
})

test('among others, a tenant rests after a long list and not after a short one; the others do not wait', async () => {
  const { clock, read, started } = create(true)
  for (let index = 0; index < 3; index++) read('one', 200)
  await clock.settle()
  expect(started).toEqual(['one'])
  for (let index = 0; index < 3; index++) read('other', 0)
  await clock.settle()
  expect(started).toEqual(['one', 'other', 'other', 'other'])
  await clock.advance(100)
  expect(started.filter((name) => name === 'one')).toHaveLength(2)
  await clock.advance(100)
  expect(started.filter((name) => name === 'one')).toHaveLength(3)
})
