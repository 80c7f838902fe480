import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createCallGate, type Entry } from './call-gate.ts'
import { PRIORITY } from './call-priority.ts'
import { createCallRate } from './call-rate.ts'

function open({ maxConcurrent = 2, batch = 100 } = {}) {
  const clock = createManualClock()
  const rate = createCallRate(clock)
  const gate = createCallGate({ maxConcurrent, rate, clock, batchSize: () => batch })
  const left: string[] = []
  const enter = (name: string, entry: Partial<Entry> = {}) =>
    void gate
      .enter({ wanted: 1, atLeast: 1, priority: PRIORITY.preparation, deadline: 60_000, ...entry })
      .then((granted) => left.push(granted === 0 ? `${name} refused` : granted === 1 ? name : `${name} ${granted}`))
  return { clock, rate, gate, left, enter }
}

describe('without a limit', () => {
  test('calls leave at once, one per connection, the rest in order', async () => {
    const { clock, gate, left, enter } = open()
    for (const name of ['a', 'b', 'c', 'd']) enter(name)
    await clock.settle()
    expect(left).toEqual(['a', 'b'])
    expect(gate.isBusy()).toBe(true)
    gate.leave()
    gate.leave()
    await clock.settle()
    expect(left).toEqual(['a', 'b', 'c', 'd'])
  })

  test('a request holds no more than a batch', async () => {
    const { clock, left, enter } = open({ batch: 10 })
    enter('a', { wanted: 25 })
    await clock.settle()
    expect(left).toEqual(['a 10'])
  })
})

describe('what waits', () => {
  test('leaves by urgency: heads, sends, receipts, preparation, forwarded', async () => {
    const { clock, gate, left, enter } = open({ maxConcurrent: 1 })
    enter('first')
    for (const name of ['forwarded', 'preparation', 'receipts', 'sends', 'heads'] as const)
      enter(name, { priority: PRIORITY[name] })
    for (let turn = 0; turn < 5; turn++) {
      await clock.settle()
      gate.leave()
    }
    await clock.settle()
    expect(left).toEqual(['first', 'heads', 'sends', 'receipts', 'preparation', 'forwarded'])
  })

  test('gets more urgent with time, so that head reads cannot starve the rest', async () => {
    const { clock, gate, left, enter } = open({ maxConcurrent: 1 })
    enter('first')
    enter('forwarded', { priority: PRIORITY.forwarded })
    await clock.advance(1_500)
    enter('heads', { priority: PRIORITY.heads })
    gate.leave()
    await clock.settle()
    expect(left).toEqual(['first', 'forwarded'])
  })

  test('is refused at its deadline, or at once if that cannot be met', async () => {
    const { clock, gate, left, enter } = open({ maxConcurrent: 1 })
    enter('first')
    enter('late', { deadline: 1_000 })
    await clock.advance(1_000)
    expect(left).toEqual(['first', 'late refused'])
    gate.pause(30_000)
    enter('hopeless', { deadline: 20_000 })
    await clock.settle()
    expect(left.at(-1)).toBe('hopeless refused')
  })

  test('is bounded', async () => {
    const { clock, left, enter } = open({ maxConcurrent: 1 })
    enter('first')
    enter('many', { wanted: 10_000 })
    enter('more')
    await clock.settle()
    expect(left).toEqual(['first', 'more refused'])
  })

  test('is refused when the gate closes', async () => {
    const { clock, gate, left, enter } = open({ maxConcurrent: 1 })
    enter('first')
    enter('second')
    gate.close()
    enter('third')
    await clock.settle()
    expect(left).toEqual(['first', 'second refused', 'third refused'])
    expect(clock.waiting()).toBe(0)
  })
})

test('after a pause one call goes out as a probe, the others once it is answered', async () => {
  const { clock, gate, left, enter } = open({ maxConcurrent: 8 })
  gate.pause(500)
  for (const name of ['a', 'b', 'c']) enter(name)
  await clock.advance(499)
  expect(left).toEqual([])
  await clock.advance(1)
  expect(left).toEqual(['a'])
  gate.resume()
  gate.leave()
  await clock.settle()
  expect(left).toEqual(['a', 'b', 'c'])
})

test('a known rate lets calls out as it allows, in smaller batches', async () => {
  const { clock, rate, left, enter } = open({ maxConcurrent: 8 })
  rate.noteRefused(20)
  enter('a', { wanted: 5 })
  enter('pair', { wanted: 3, atLeast: 2 })
  await clock.advance(100)
  expect(left).toEqual(['a'])
  await clock.advance(200)
  expect(left).toEqual(['a', 'pair 2'])
})
