import { describe, expect, test } from 'vitest'
import { parseRpcUrls } from './rpc-url.ts'

function parseOne(text: string) {
  const [parsed] = parseRpcUrls([text])
  if (parsed === undefined) throw new Error('one URL gives one target')
  return parsed
}

describe('what may be shown', () => {
  test('is the host alone', () => {
    expect(parseOne('https://user:secret@node.example:8545/v3/abcdef0123456789?key=zyxwvuts').host).toBe(
      'node.example:8545',
    )
  })

  test('is no spelling of a credential, whichever one the URL has', () => {
    const password = 'S3cr/t+Pa$s(1)~'
    const spellings = [
      'S3cr%2Ft%2BPa%24s(1)~',
      'S3cr%2ft%2bPa$s%281%29%7E',
      encodeURIComponent(password),
      [...password].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
    ]
    for (const spelling of spellings) {
      const url = `https://us%2Der:${spelling}@node.example/`
      const { redact } = parseOne(url)
      const pairs = spellings.concat(password).flatMap((word) => [`us-er:${word}`, `us%2Der:${word}`])
      const basic = [`us-er:${password}`, `us%2Der:${spelling}`, `us-er:${encodeURIComponent(password)}`]
      for (const text of [password, encodeURIComponent(password), new URL(url).password, spelling])
        expect(redact(`got ${text} here`)).toBe('got *** here')
      for (const text of basic) {
        for (const format of ['base64', 'base64url'] as const) {
          expect(redact(`got ${Buffer.from(text).toString(format)} here`)).toBe('got *** here')
        }
      }
      for (const pair of pairs) expect(redact(pair)).toMatch(/:\*\*\*$/)
    }
  })

  test.each([
    ['https://node.example/v3/abcdef0123456789', 'key abcdef0123456789 is blocked', 'key *** is blocked'],
    ['https://node.example/?apikey=abcdef0123456789', 'bad abcdef0123456789', 'bad ***'],
    ['https://alice-the-operator:pw@node.example/', 'alice-the-operator:pw', '***:***'],
    ['https://a:p%40ss@node.example/', 'p@ss and p%40ss', '*** and ***'],
    ['https://me:pw@node.example/', 'bad Authorization: Basic bWU6cHc=', 'bad Authorization: Basic ***'],
    ['https://a:p%40ss@node.example/', 'got Basic YTpwQHNz here', 'got Basic *** here'],
    ['https://node.example/v1/rpc', 'no v1 rpc here', 'no v1 rpc here'],
  ])('of %s: %s', (url, words, shown) => {
    expect(parseOne(url).redact(words)).toBe(shown)
  })
})

describe('invalid RPC URLs', () => {
  test.each(['', 'node.example:8545', 'ftp://node.example/abcdef0123', 'file:///etc/abcdef0123'])(
    'is refused without being repeated: %s',
    (text) => {
      expect(() => parseRpcUrls(['http://ok.example', text])).toThrow('RPC URL 2 of 2 is not an http(s) or ws(s) URL')
    },
  )

  test('is also an empty list', () => {
    expect(() => parseRpcUrls([])).toThrow('at least one RPC URL')
  })
})
