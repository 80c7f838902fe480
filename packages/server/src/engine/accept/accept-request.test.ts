import { describe, expect, test } from 'vitest'
import { type AcceptRequest, digestRequest } from './accept-request.ts'

const SIGNER = `0x${'11'.repeat(20)}` as const
const STRANGER = `0x${'99'.repeat(20)}` as const
const TARGET = `0x${'22'.repeat(20)}` as const

const REQUEST: AcceptRequest = {
  ...{ chainId: 1, from: SIGNER, to: TARGET, data: '0x', value: 0n, gasLimit: null, fees: null, speed: null },
  ...{ priority: null, validUntil: null, requestId: null, finality: null, simulate: null, metadata: {} },
}

describe('the digest of a request', () => {
  test('does not depend on the order of fields or on the request id', () => {
    const a = digestRequest({ ...REQUEST, metadata: { a: '1', b: '2' }, requestId: 'x' })
    const reversed = Object.fromEntries(
      Object.entries({ ...REQUEST, requestId: 'y' }).reverse(),
    ) as unknown as AcceptRequest
    expect(digestRequest({ ...reversed, metadata: { b: '2', a: '1' } })).toBe(a)
    expect(a).toMatch(/^0x[0-9a-f]{64}$/)
  })

  test('depends on everything else', () => {
    const changes: Partial<AcceptRequest>[] = [
      { chainId: 2 },
      { from: STRANGER },
      { to: null },
      { data: '0x00' },
      { value: 1n },
      { gasLimit: 1n },
      { fees: { type: 'legacy', gasPrice: 1n } },
      { speed: 'fast' },
      { priority: 1 },
      { validUntil: 1 },
      { finality: { type: 'safe' } },
      { simulate: false },
      { exactNonce: 1 },
      { accessList: [{ address: TARGET, storageKeys: [] }] },
      { fees: { type: 'eip1559', maxFeePerGas: 1n, maxPriorityFeePerGas: null } },
      { metadata: { a: '1' } },
    ]
    const digests = [{}, ...changes].map((change) => digestRequest({ ...REQUEST, ...change }))
    expect(new Set(digests).size).toBe(changes.length + 1)
  })
})
