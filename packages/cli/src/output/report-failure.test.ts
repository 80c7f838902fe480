import { AppError } from '@drover/server/core'
import { ConfigProblems, createRedactor } from '@drover/server/settings'
import { CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { ChainUnavailable } from '../../../server/src/ports/chain.ts'
import { reportFailure } from './report-failure.ts'

function report(error: unknown, isDebugging = false): { readonly code: number; readonly said: string } {
  const said: string[] = []
  const stream = { write: (text: string) => said.push(text) }
  const terminal = {
    env: {},
    folder: '/',
    stdout: stream,
    stderr: stream,
    onSignal: () => () => undefined,
    onBug: () => () => undefined,
    exit: () => undefined,
  }
  const redactor = createRedactor(['planted-secret'])
  const code = reportFailure(error, { terminal, redactor, finish: () => undefined }, isDebugging)
  return { code, said: said.join('') }
}

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code })

test('configuration problems end with 2', () => {
  expect(report(new ConfigProblems([{ place: 'port', message: 'is wrong' }]))).toEqual({
    code: 2,
    said: 'There is a problem in the configuration:\n  port: is wrong\n',
  })
})

test('what commander has printed is not printed again', () => {
  expect(report(new CommanderError(1, 'commander.unknownOption', 'unknown'))).toEqual({ code: 2, said: '' })
  expect(report(new CommanderError(0, 'commander.helpDisplayed', ''))).toEqual({ code: 0, said: '' })
})

test.each([
  withCode('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'),
  withCode('password authentication failed', '28P01'),
  new AppError('unknown_chain', 'there is no such chain'),
  new ChainUnavailable('the node does not answer'),
])('$message is printed as it is', (error) => {
  expect(report(error)).toEqual({ code: 1, said: `${error.message}\n` })
})

test.each([
  new TypeError('x is not a function'),
  withCode('syntax error at or near "only"', '42601'),
  withCode('bad argument', 'ERR_INVALID_ARG_TYPE'),
  'a text',
])('%s is a bug', (error) => {
  const { code, said } = report(error)
  expect(code).toBe(1)
  expect(said).toMatch(/^Internal error: /)
  expect(said).not.toMatch(/^\s+at /m)
})

test('the stack is printed only for debugging', () => {
  expect(report(new TypeError('broken'), true).said).toMatch(/^\s+at /m)
})

test('causes are printed, secrets are not', () => {
  const error = new ChainUnavailable('no node answers', { cause: new Error('planted-secret was refused') })
  expect(report(error).said).toBe('no node answers\n  because: [redacted] was refused\n')
})

test('a refused connection to several addresses names the first', () => {
  const error = Object.assign(new AggregateError([new Error('connect ECONNREFUSED ::1:1')], ''), {
    code: 'ECONNREFUSED',
  })
  expect(report(error).said).toBe('connect ECONNREFUSED ::1:1\n')
})
