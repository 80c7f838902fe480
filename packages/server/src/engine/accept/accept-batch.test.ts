import { describe, expect, test } from 'vitest'
import { AppError } from '../../core/app-error.ts'
import type { NewTransaction } from '../../ports/store.ts'
import { queued } from '../../testing/core/sample-transactions.ts'
import type { Accept } from './accept.ts'
import { createAcceptBatch, OUT_OF_TURN } from './accept-batch.ts'
import type { AcceptRequest } from './accept-request.ts'

const [ALICE, BOB] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`] as const

function request(from: AcceptRequest['from'], value: bigint, exactNonce?: number): AcceptRequest {
  return {
    chainId: 1,
    from,
    to: from,
    data: '0x',
    value,
    gasLimit: null,
    fees: null,
    speed: null,
    requestId: null,
    priority: null,
    validUntil: null,
    finality: null,
    simulate: null,
    metadata: {},
    ...(exactNonce !== undefined && { exactNonce }),
  }
}

/** Refuses a value of nothing, and stores the rest. */
function setUp(ports: Pick<Parameters<typeof createAcceptBatch>[0], 'isAllowed' | 'rest'> = {}) {
  const stored: bigint[] = []
  const accept: Accept = async ({ value, from }, submit) => {
    if (value === 0n) throw new AppError('transaction_rejected', 'it reverts', { outcome: 'reverted' })
    const { intent } = queued()
    const item: NewTransaction = { id: `tx-${value}`, intent: { ...intent, value, lane: { chainId: 1, signer: from } } }
    await submit?.(item)
    return { type: 'accepted', transaction: queued({ id: item.id }) }
  }
  const acceptBatch = createAcceptBatch({
    accept,
    ...ports,
    intake: {
      submitTogether: (items) =>
        items.map(async ({ intent, id }) => {
          stored.push(intent.value)
          return { type: 'inserted' as const, transaction: queued({ id }) }
        }),
    },
  })
  return { acceptBatch, stored }
}

test('after a refused item, later items of the same signer with a chosen nonce are refused too', async () => {
  const { acceptBatch, stored } = setUp()
  const answers = await acceptBatch([
    request(ALICE, 1n, 5),
    request(ALICE, 0n, 6),
    request(ALICE, 3n, 7),
    request(BOB, 4n, 9),
    request(ALICE, 5n),
  ])
  const outcomes = answers.map((answer) => (answer.status === 'fulfilled' ? 'stored' : answer.reason.details.outcome))
  expect(outcomes).toEqual(['stored', 'reverted', OUT_OF_TURN, 'stored', 'stored'])
  expect(stored).toEqual([1n, 4n, 5n])
})

test('items without a chosen nonce take any nonce that is left', async () => {
  const { acceptBatch, stored } = setUp()
  await acceptBatch([request(ALICE, 0n), request(ALICE, 2n), request(ALICE, 3n, 8)])
  expect(stored).toEqual([2n, 3n])
})

describe('a key that ended after its request arrived', () => {
  const of = (keyId: string, item: AcceptRequest): AcceptRequest => ({ ...item, keyId })
  const codes = (answers: readonly PromiseSettledResult<unknown>[]) =>
    answers.map((answer) =>
      answer.status === 'fulfilled' ? 'accepted' : (answer.reason.details?.outcome ?? answer.reason.code),
    )

  test('stores nothing more', async () => {
    const { acceptBatch, stored } = setUp({ isAllowed: async ({ keyId }) => keyId !== 'revoked' })
    const answers = await acceptBatch([of('revoked', request(ALICE, 1n)), of('revoked', request(BOB, 2n))])
    expect(codes(answers)).toEqual(['unauthorized', 'unauthorized'])
    expect(stored).toEqual([])
  })

  test('leaves its nonce: what was to follow it waits for its turn again, others are stored', async () => {
    const { acceptBatch, stored } = setUp({ isAllowed: async ({ keyId }) => keyId !== 'revoked' })
    const answers = await acceptBatch([
      of('live', request(ALICE, 1n, 5)),
      of('revoked', request(ALICE, 2n, 6)),
      of('live', request(ALICE, 3n, 7)),
      request(BOB, 4n, 9),
    ])
    expect(codes(answers)).toEqual(['accepted', 'unauthorized', OUT_OF_TURN, 'accepted'])
    expect(stored).toEqual([1n, 4n])
  })

  test('stores nothing if it cannot be looked up', async () => {
    const { acceptBatch, stored } = setUp({
      isAllowed: () => Promise.reject(new AppError('database_unavailable', 'away')),
    })
    const answers = await acceptBatch([of('live', request(ALICE, 1n))])
    expect(codes(answers)).toEqual(['database_unavailable'])
    expect(stored).toEqual([])
  })
})

test('a caller that goes while its batch is being prepared: nothing of it is stored', async () => {
  const gone = { aborted: false }
  const leave = async (): Promise<void> => {
    gone.aborted = true
  }
  const { acceptBatch, stored } = setUp({ rest: leave })
  // More than are looked up together, so it yields to others in between.
  const requests = Array.from({ length: 300 }, (_, index) => request(ALICE, BigInt(index + 1)))
  const answers = await acceptBatch(requests, gone)
  expect(answers.map(({ status }) => status)).toEqual(Array(300).fill('rejected'))
  expect(stored).toEqual([])
  await acceptBatch(requests)
  expect(stored).toHaveLength(300)
})
