import { expect, test } from 'vitest'
import { AppError } from '../../core/app-error.ts'
import { createSilentTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { Operate } from '../operate/operate.ts'
import { createWithdrawals } from './cancel-withdrawn.ts'

/** `refused`: it changes too fast to be cancelled. */
function createScene(ids: readonly string[], refused: readonly string[] = []) {
  const line = new Set(ids)
  const ordered: string[] = []
  const operate: Operate = async (id, { action, onlyIn }) => {
    expect({ action, onlyIn }).toEqual({ action: 'cancel', onlyIn: 'QUEUED' })
    ordered.push(id)
    if (refused.includes(id)) throw new AppError('action_forbidden', 'too fast', { action })
    line.delete(id)
    return {} as never
  }
  const store = { listWithdrawn: async (_: number, limit: number) => [...line].slice(0, limit) }
  return { ordered, line, cancel: createWithdrawals({ store, telemetry: createSilentTelemetry(), operate }) }
}

test('all of them are cancelled, page by page', async () => {
  const { ordered, line, cancel } = createScene(Array.from({ length: 450 }, (_, index) => `tx-${index}`))
  await cancel(7)
  expect(line.size).toBe(0)
  expect(ordered).toHaveLength(450)
})

test('one that cannot be cancelled holds up no other, and is left for the next time', async () => {
  const { ordered, line, cancel } = createScene(['a', 'b', 'c'], ['b'])
  await cancel(7)
  expect(ordered).toEqual(['a', 'b', 'c'])
  expect([...line]).toEqual(['b'])
})

test('an error of the store is no refusal', async () => {
  const operate = async () => Promise.reject(new Error('away'))
  const store = { listWithdrawn: async () => ['a'] }
  await expect(createWithdrawals({ store, telemetry: createSilentTelemetry(), operate })(7)).rejects.toThrow('away')
})
