import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createSilentTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createEventTail } from './event-tail.ts'

test('closing waits for the read in progress, and nothing is read afterwards', async () => {
  const reads: string[] = []
  let answer = (_: number): void => {}
  const store = {
    listen: () => () => undefined,
    findLastEventId: () => {
      reads.push('last')
      return new Promise<number>((resolve) => {
        answer = resolve
      })
    },
    readEvents: async () => {
      reads.push('events')
      return []
    },
  }
  const tail = createEventTail({
    store,
    clock: createManualClock(),
    telemetry: createSilentTelemetry(),
    prepare: (entry) => entry,
  })
  tail.follow(() => undefined)
  let isClosed = false
  const closing = tail.close().then(() => {
    isClosed = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isClosed).toBe(false)
  answer(7)
  await closing
  expect(reads).toEqual(['last'])
})
