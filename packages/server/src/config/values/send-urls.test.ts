import { expect, test } from 'vitest'
import { hasSendUrl, isSentPublicly, secretsOfSendUrls, sendUrls } from './send-urls.ts'

const SIGNER = `0x${'ab'.repeat(20)}` as const
const OTHER = `0x${'cd'.repeat(20)}` as const

test('URLs are for all signers, or for one', () => {
  const text = `https://a.example,0x${'AB'.repeat(20)}=https://b.example/?k=v,${SIGNER}=https://c.example`
  expect(sendUrls.parse(text)).toEqual({
    ok: true,
    value: {
      all: ['https://a.example'],
      bySigner: new Map([[SIGNER, ['https://b.example/?k=v', 'https://c.example']]]),
      publicSigners: new Set(),
      isPublic: false,
    },
  })
})

test.each([
  ['wss://a.example', 'number 1 of 1'],
  ['https://a.example,nonsense', 'number 2 of 2'],
  ['0x12=https://a.example', 'signer address'],
  [`${SIGNER}=`, 'http or https'],
  ['https://a.example,public', 'not both'],
  [`${SIGNER}=https://a.example,${SIGNER}=public`, 'not both'],
])('refuses %s', (text, why) => {
  expect(sendUrls.parse(text)).toMatchObject({ ok: false, problem: expect.stringContaining(why) })
})

test('public in place of a URL: for one signer, or for all that are not named', () => {
  const read = (text: string) => {
    const parsed = sendUrls.parse(text)
    if (!parsed.ok) throw new Error(parsed.problem)
    const { value } = parsed
    expect(sendUrls.print(value)).toBe(text)
    return [SIGNER, OTHER].map((signer) => [hasSendUrl(signer, value), isSentPublicly(signer, value)])
  }
  expect(read(`https://a.example,${SIGNER}=public`)).toEqual([
    [false, true],
    [true, false],
  ])
  expect(read(`public,${SIGNER}=https://a.example`)).toEqual([
    [true, false],
    [false, true],
  ])
  expect(read('public')).toEqual([
    [false, true],
    [false, true],
  ])
})

test('shows hosts only, and knows its secrets', () => {
  const parsed = sendUrls.parse(`https://a.example/aVerySecretApiKey1,${SIGNER}=https://b.example/anotherSecretKey2`)
  if (!parsed.ok) throw new Error(parsed.problem)
  expect(sendUrls.print(parsed.value)).toBe(`https://a.example/…,${SIGNER}=https://b.example/…`)
  expect(secretsOfSendUrls(parsed.value)).toEqual(['aVerySecretApiKey1', 'anotherSecretKey2'])
})
