import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor } from './redactor.ts'

test('a secret is found in any case and in its JSON and URL forms', () => {
  const { redact } = createRedactor(['Secret"Word', 'pass word'])
  expect(redact('x sEcReT"wOrD y')).toBe('x [redacted] y')
  expect(redact(JSON.stringify({ a: 'Secret"Word' }))).toBe('{"a":"[redacted]"}')
  expect(redact('pass%20word')).toBe('[redacted]')
})

test('a secret is found in any URL spelling, whichever one was registered', () => {
  const { redact } = createRedactor(['S3cr/t+Pa$s'])
  for (const spelling of ['S3cr%2Ft%2BPa%24s', 'S3cr/t%2BPa%24s', 'S3cr%2ft+Pa$s', '%533cr/t+Pa$s'])
    expect(redact(`x ${spelling} y`)).toBe('x [redacted] y')
})

test('a space may be written as a plus, in text without any percent sign', () => {
  const { redact } = createRedactor(['pass word1234'])
  expect(redact('x pass+word1234 y')).toBe('x [redacted] y')
  expect(redact('1 + 1 = 2')).toBe('1 + 1 = 2')
})

test('credentials in a URL go whether or not they were registered', () => {
  const { redact } = createRedactor([])
  expect(redact('see postgres://u:p@db:5432/x and https://token@rpc/v3')).toBe(
    'see postgres://[redacted]@db:5432/x and https://[redacted]@rpc/v3',
  )
  expect(redact('postgres://u:p@ss@db/x')).toBe('postgres://[redacted]@db/x')
  expect(redact('https://rpc.example/path?mail=a@b')).toBe('https://rpc.example/path?mail=a@b')
})

test('a secret that contains another leaves nothing behind', () => {
  const { redact } = createRedactor(['abcdef', 'abcdef-rest'])
  expect(redact('abcdef-rest')).toBe('[redacted]')
})

test('private keys are found in either case, alone or inside longer hex, and thousands cost no more than one', () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => (index + 1).toString(16).padStart(64, 'a'))
  const { redact } = createRedactor(keys)
  const [first = '', last = ''] = [keys[0], keys.at(-1)]
  expect(redact(`key 0x${first} and ${last.toUpperCase()}`)).toBe('key 0x[redacted] and [redacted]')
  expect(redact(`0xff${first}${last}00`)).toBe('0xff[redacted][redacted]00')
  const hash = 'b'.repeat(64)
  expect(redact(`hash 0x${hash}`)).toBe(`hash 0x${hash}`)
})

test('a secret can be added later, and a too short one is ignored', () => {
  const redactor = createRedactor(['db'])
  expect(redactor.redact('db later-secret')).toBe('db later-secret')
  redactor.hide('later-secret')
  expect(redactor.redact('db later-secret')).toBe('db [redacted]')
})

test('no registered secret survives, whatever its characters and context', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 6, unit: 'binary' }), fc.string(), fc.string(), (secret, before, after) => {
      const { redact } = createRedactor([secret])
      fc.pre(!'[redacted]'.includes(secret.toLowerCase()))
      expect(redact(`${before}${secret}${after}`)).not.toContain(secret)
      expect(redact(JSON.stringify({ secret }))).not.toContain(JSON.stringify(secret).slice(1, -1))
    }),
  )
})
