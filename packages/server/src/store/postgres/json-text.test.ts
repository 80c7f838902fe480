import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toBytes, toJson, toStored, toTime } from './json-text.ts'

test('what the database would refuse is replaced, and nothing else is touched', () => {
  expect(JSON.parse(toJson({ 'a\0': 'x\0y', b: ['\ud800', '\ud83d\ude00', '\\u0000'] }))).toEqual({
    'a\uFFFD': 'x\uFFFDy',
    b: ['\uFFFD', '\ud83d\ude00', '\\u0000'],
  })
})

test('no text that PostgreSQL refuses ever leaves', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('', '\0', '\ud800', '\udfff'), (text, bad) => {
      const json = toJson([text + bad + text])
      // An escaped backslash before it makes it ordinary text.
      expect(json.replaceAll('\\\\', '')).not.toMatch(/\\u0000|\\ud[89a-f]/i)
      if (bad === '' && !text.includes('\0')) expect(JSON.parse(json)).toEqual([text + text])
    }),
  )
})

test('amounts become text, however deep', () => {
  expect(toStored({ fee: 2n ** 70n, list: [1n, null, { deep: 3n }], text: 'x', none: undefined })).toEqual({
    fee: '1180591620717411303424',
    list: ['1', null, { deep: '3' }],
    text: 'x',
    none: undefined,
  })
})

test('bytes and times are spelled as the database reads them', () => {
  expect([toBytes('0x00ff'), toBytes('0x'), toBytes(null)]).toEqual(['\\x00ff', '\\x', null])
  expect([toTime(0), toTime(null)]).toEqual(['1970-01-01T00:00:00.000Z', null])
  expect(toTime(8.64e15)).toBe('9999-12-31T23:59:59.999Z')
})
