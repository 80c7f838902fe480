import { expect, test } from 'vitest'
import { methodList } from './method-list.ts'

test('names, each once', () => {
  expect(methodList.parse('debug_traceCall, trace_block,debug_traceCall')).toEqual({
    ok: true,
    value: ['debug_traceCall', 'trace_block'],
  })
  expect(methodList.parse([])).toEqual({ ok: true, value: [] })
})

test.each(['debug traceCall', 'nothing', 7, 'eth_sendTransaction', 'eth_signTypedData_v4', 'personal_unlockAccount'])(
  '%s is refused',
  (input) => {
    expect(methodList.parse(input)).toMatchObject({ ok: false, problem: expect.stringMatching(/^must/) })
  },
)
