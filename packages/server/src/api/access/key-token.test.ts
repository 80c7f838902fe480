import { createHash } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { createKeyToken, matchesSecret, parseKeyToken } from './key-token.ts'

const { compared } = vi.hoisted(() => ({ compared: [] as [number, number][] }))

vi.mock('node:crypto', async (load) => {
  const real = await load<typeof import('node:crypto')>()
  return {
    ...real,
    timingSafeEqual: (a: Buffer, b: Buffer) => {
      compared.push([a.length, b.length])
      return real.timingSafeEqual(a, b)
    },
  }
})

beforeEach(() => {
  compared.length = 0
})

test('a token has a public id and a 256-bit secret, and only the digest is stored', () => {
  const made = Array.from({ length: 100 }, createKeyToken)
  expect(new Set(made.map(({ token }) => token.slice(21))).size).toBe(100)
  for (const { id, token, secretDigest } of made) {
    expect(token).toMatch(new RegExp(`^drv_${id}_[A-Za-z0-9_-]{43}$`))
    expect(Buffer.from(token.slice(21), 'base64url')).toHaveLength(32)
    expect(secretDigest).toBe(createHash('sha256').update(token.slice(21)).digest('hex'))
    expect(parseKeyToken(token)).toEqual({ id, secretDigest })
  }
})

test.each([
  [''],
  ['drv_'],
  [createKeyToken().token.toUpperCase()],
  [` ${createKeyToken().token}`],
  [`${createKeyToken().token}\n`],
  [createKeyToken().token.replace('drv_', 'drv-')],
])('%j is not a token', (text) => {
  expect(parseKeyToken(text)).toBeNull()
})

test('secrets are compared in constant time, also for an unknown key', () => {
  const [own, other] = [createKeyToken(), createKeyToken()]
  expect(matchesSecret(own, own)).toBe(true)
  expect(matchesSecret(own, other)).toBe(false)
  expect(matchesSecret(own, null)).toBe(false)
  expect(matchesSecret({ ...own, secretDigest: '0'.repeat(64) }, null)).toBe(false)
  expect(compared).toEqual([1, 2, 3, 4].map(() => [32, 32]))
})
