import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createServerEventParser, type ServerEvent } from './server-events.ts'

const encode = (text: string) => new TextEncoder().encode(text)

function parse(...pieces: readonly string[]): readonly ServerEvent[] {
  const parser = createServerEventParser()
  return pieces.flatMap((piece) => parser.feed(encode(piece)))
}

describe('one event', () => {
  test.each<[string, string, ServerEvent]>([
    [
      'with all its fields',
      'id: 7\nevent: accepted\ndata: {"a":1}\n\n',
      { id: '7', event: 'accepted', data: '{"a":1}' },
    ],
    ['with data only', 'data: x\n\n', { id: null, event: 'message', data: 'x' }],
    ['in several lines', 'data: a\ndata:b\ndata:  c\n\n', { id: null, event: 'message', data: 'a\nb\n c' }],
    ['with colons in it', 'data: a:b: c\n\n', { id: null, event: 'message', data: 'a:b: c' }],
    ['with carriage returns', 'id: 1\r\ndata: x\r\r\n\r', { id: '1', event: 'message', data: 'x' }],
    ['behind a byte order mark', '\uFEFFdata: x\n\n', { id: null, event: 'message', data: 'x' }],
    [
      'among comments and hints',
      ': hello\nretry: 10\ndata: x\n:\nunknown\n\n',
      { id: null, event: 'message', data: 'x' },
    ],
    ['without a value', 'data\nid\n\n', { id: '', event: 'message', data: '' }],
  ])('%s', (_, text, event) => {
    expect(parse(text)[0]).toEqual(event)
  })
})

test('an id alone says how far the stream has come', () => {
  expect(parse(': still here\nid: 9\n\n')).toEqual([{ id: '9', event: 'message', data: null }])
})

test('heartbeats are not events, and an event without its final empty line is dropped', () => {
  expect(parse(': still here\n\n', 'event: x\n\n', 'data: cut off\n')).toEqual([])
})

test('however the bytes are split, the events are the same', () => {
  const lineEnd = fc.constantFrom('\n', '\r\n')
  const event = fc.record({ id: fc.nat(), text: fc.string({ unit: 'grapheme' }) })
  fc.assert(
    fc.property(fc.array(event), lineEnd, fc.array(fc.nat(40)), (events, end, cuts) => {
      const text = events.map(({ id, text }) => `id: ${id}${end}data: ${JSON.stringify(text)}${end}${end}`).join('')
      const bytes = encode(text)
      const parser = createServerEventParser()
      const seen: ServerEvent[] = []
      let from = 0
      for (const length of [...cuts, bytes.length]) {
        seen.push(...parser.feed(bytes.slice(from, from + length)))
        from += length
      }
      expect(seen.map(({ id, data }) => [Number(id), JSON.parse(data ?? '')])).toEqual(
        events.map(({ id, text }) => [id, text]),
      )
    }),
  )
})

test('an endless event is given up', () => {
  const parser = createServerEventParser()
  const piece = encode('x'.repeat(1024 * 1024))
  expect(() => {
    for (let count = 0; count < 100; count++) parser.feed(piece)
  }).toThrow(RangeError)
})
