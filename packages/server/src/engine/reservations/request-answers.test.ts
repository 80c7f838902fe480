import { expect, test } from 'vitest'
import type { Notice } from '../../ports/notice.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRequestAnswers } from './request-answers.ts'

interface Request {
  readonly id: string
  readonly answer: string | null
}

function setUp() {
  const clock = createManualClock()
  const answered = new Map<string, string>()
  const looks: (readonly string[])[] = []
  const state = { isDown: false, hear: (_: Notice): void => {} }
  const answers = createRequestAnswers<Request>({
    clock,
    timeoutMs: 1_000,
    store: {
      listen: (listener) => {
        state.hear = listener
        return () => {}
      },
    },
    find: async (ids) => {
      looks.push(ids)
      if (state.isDown) throw new StoreUnavailable('down')
      return ids.map((id) => ({ id, answer: answered.get(id) ?? null }))
    },
    isAnswered: ({ answer }) => answer !== null,
  })
  return { clock, answered, looks, answers, state }
}

test('an answer is noticed by notification, or by polling without one', async () => {
  const { clock, answered, looks, answers, state } = setUp()
  const [told, untold] = [answers.wait(['a']), answers.wait(['b'])]
  await clock.advance(10)
  answered.set('a', 'yes')
  const before = looks.length
  state.hear({ type: 'events.appended' })
  expect(await told).toEqual([{ id: 'a', answer: 'yes' }])
  expect(looks.length).toBe(before + 1)
  answered.set('b', 'no')
  await clock.advance(250)
  expect(await untold).toEqual([{ id: 'b', answer: 'no' }])
})

test('all waiting callers share one read, and nothing is read without any', async () => {
  const { clock, looks, answers, state } = setUp()
  const waits = [answers.wait(['a', 'b']), answers.wait(['b']), answers.wait(['c'])]
  await clock.advance(50)
  expect(looks.at(-1)).toEqual(['a', 'b', 'c'])
  await clock.advance(2_000)
  expect(await Promise.all(waits)).toMatchObject([[{ answer: null }, { answer: null }], [{}], [{}]])
  const before = looks.length
  for (let count = 0; count < 10; count++) state.hear({ type: 'events.appended' })
  await clock.advance(2_000)
  expect(looks.length).toBe(before)
})

test('a database that is down is asked again until the timeout', async () => {
  const { clock, answered, answers, state } = setUp()
  state.isDown = true
  const patient = answers.wait(['a'])
  await clock.advance(500)
  state.isDown = false
  answered.set('a', 'yes')
  await clock.advance(250)
  expect(await patient).toEqual([{ id: 'a', answer: 'yes' }])
  state.isDown = true
  const unlucky = answers.wait(['b']).then(String, String)
  await clock.advance(1_500)
  expect(await unlucky).toContain('down')
})
