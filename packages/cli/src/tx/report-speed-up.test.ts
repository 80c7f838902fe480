import { DroverError } from '@drover/client'
import { expect, test } from 'vitest'
import { EXIT } from '../exit-code.ts'
import { Interrupted } from '../service/service-session.ts'
import { reportSpeedUp, type SpeedUpPorts } from './report-speed-up.ts'

const entry = (type: string, detail = {}) => ({ type, cause: null, detail })
const ORDER = entry('operator.sped_up')
const WAITING = { subState: 'pending', error: null, inclusion: null }
const UNREADABLE = new DroverError({ code: 'forbidden', detail: 'This key may not read.' })

async function report(over: Partial<SpeedUpPorts>) {
  const notes: string[] = []
  const code = await reportSpeedUp('id-1', {
    signal: new AbortController().signal,
    readHistory: async () => [ORDER],
    readTransaction: async () => WAITING,
    pause: async () => {},
    note: (text) => void notes.push(text),
    ...over,
  })
  return { code, said: notes.join('\n') }
}

test('a signed order says nothing more', async () => {
  const histories = [[ORDER], [ORDER, entry('attempt.added')]]
  const readHistory = async () => histories.shift() ?? []
  expect(await report({ readHistory })).toEqual({ code: undefined, said: '' })
  expect(histories).toEqual([])
})

test('a refused order', async () => {
  const readHistory = async () => [ORDER, entry('bump.refused', { message: 'it costs too much' })]
  expect(await report({ readHistory })).toEqual({
    code: EXIT.refused,
    said: 'Not sped up: it costs too much. What to do: drover tx explain id-1',
  })
})

test('an order above the limit stands, whether it gets there or was there before', async () => {
  const expected = {
    code: EXIT.refused,
    said: 'The order stands, but the price is above the limit. What to do: drover tx explain id-1',
  }
  expect(await report({ readHistory: async () => [ORDER, entry('fee.capped')] })).toEqual(expected)
  const readTransaction = async () => ({ ...WAITING, error: { code: 'fee_above_cap' } })
  expect(await report({ readTransaction })).toEqual(expected)
})

test('a limit that was raised before the order: it is signed a moment later', async () => {
  const histories = [[ORDER], [ORDER, entry('attempt.added')]]
  const readTransaction = async () => ({ ...WAITING, error: { code: 'fee_above_cap' } })
  expect(await report({ readTransaction, readHistory: async () => histories.shift() ?? [] })).toEqual({
    code: undefined,
    said: '',
  })
})

test('an order that nobody has decided yet', async () => {
  expect(await report({})).toEqual({
    code: undefined,
    said: 'Ordered, not signed yet. To see the result: drover tx explain id-1',
  })
})

test('what cannot be read is not claimed', async () => {
  const fail = () => Promise.reject(UNREADABLE)
  for (const over of [{ readHistory: fail }, { readTransaction: fail }]) {
    expect(await report(over)).toEqual({
      code: undefined,
      said: 'Ordered. The result could not be read: This key may not read. To see the result: drover tx explain id-1',
    })
  }
  const bug = new TypeError('bug')
  await expect(report({ readHistory: () => Promise.reject(bug) })).rejects.toBe(bug)
})

test('Ctrl-C interrupts: while it waits, and while it reads', async () => {
  for (const place of ['pause', 'readHistory'] as const) {
    const controller = new AbortController()
    const interrupt = async () => controller.abort(new Interrupted())
    const readHistory = async () => {
      await interrupt()
      throw UNREADABLE
    }
    const over = place === 'pause' ? { pause: interrupt } : { readHistory }
    await expect(report({ ...over, signal: controller.signal })).rejects.toBeInstanceOf(Interrupted)
  }
})
