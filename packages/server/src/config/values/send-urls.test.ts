import { expect, test } from 'vitest'
import { secretsOfSendUrls, sendUrls } from './send-urls.ts'

const SIGNER = `0x${'ab'.repeat(20)}`

test('URLs are for all signers, or for one', () => {
  const text = `https://a.example,0x${'AB'.repeat(20)}=https://b.example/?k=v,${SIGNER}=https://c.example`
  expect(sendUrls.parse(text)).toEqual({
    ok: true,
    value: {
      all: ['https://a.example'],
      bySigner: new Map([[SIGNER, ['https://b.example/?k=v', 'https://c.example']]]),
    },
  })
})

test.each([
  ['wss://a.example', 'number 1 of 1'],
  ['https://a.example,nonsense', 'number 2 of 2'],
  ['0x12=https://a.example', 'signer address'],
  [`${SIGNER}=`, 'http or https'],
])('refuses %s', (text, why) => {
  expect(sendUrls.parse(text)).toMatchObject({ ok: false, problem: expect.stringContaining(why) })
})

test('shows hosts only, and knows its secrets', () => {
  const parsed = sendUrls.parse(`https://a.example/aVerySecretApiKey1,${SIGNER}=https://b.example/anotherSecretKey2`)
  if (!parsed.ok) throw new Error(parsed.problem)
  expect(sendUrls.print(parsed.value)).toBe(`https://a.example/…,${SIGNER}=https://b.example/…`)
  expect(secretsOfSendUrls(parsed.value)).toEqual(['aVerySecretApiKey1', 'anotherSecretKey2'])
})
