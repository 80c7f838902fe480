import { expect, test } from 'vitest'
import { type SendUrls, sendUrls } from '../../config/values/send-urls.ts'
import { STABLE } from '../../core/lane/policy.ts'
import { anyAddress } from '../../testing/store/samples.ts'
import { judgePrivateSends } from './diagnose-private-sends.ts'

const [HIDDEN, OPEN, ELSEWHERE] = [anyAddress(), anyAddress(), anyAddress()]

function parse(text: string): SendUrls {
  const parsed = sendUrls.parse(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.value
}

const record = (signer: typeof HIDDEN, sendsPrivately: boolean) => ({
  lane: { chainId: 1, signer },
  policy: STABLE,
  label: null,
  paused: false,
  createdAt: 0,
  ...(sendsPrivately && { sendsPrivately: true as const }),
})
const SIGNERS = [record(HIDDEN, true), record(OPEN, false), record(ELSEWHERE, true)]

test.each([
  ['https://relay.example', 'ok', 'has a send endpoint'],
  [`${HIDDEN}=https://relay.example`, 'ok', 'has a send endpoint'],
  [`${OPEN}=https://relay.example`, 'failed', 'no send endpoint for it on chain 1'],
  [`${HIDDEN}=public`, 'warning', 'the next start ends them'],
])('with %s: %s', (setting, status, detail) => {
  for (const chainId of [1, null]) {
    const senders = { chains: [{ chainId, sendUrls: parse(setting) }], addresses: [HIDDEN, OPEN] }
    expect(judgePrivateSends(SIGNERS, senders)).toMatchObject([{ status, detail: expect.stringContaining(detail) }])
  }
})

test('signers of chains that are not configured are not its business', () => {
  const senders = { chains: [{ chainId: 2, sendUrls: parse('public') }], addresses: [HIDDEN] }
  expect(judgePrivateSends(SIGNERS, senders)).toEqual([])
})
