import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Finality } from '../../core/chain/finality.ts'
import { blockHash, CHAIN_ID, createTestApi, createTestView } from '../../testing/api/create-test-api.ts'
import { blockPage } from '../contract/resources/block-resource.ts'
import { readConfirmedBlocks } from './confirmed-blocks.ts'

const THREE: Finality = { type: 'confirmations', count: 3 }

function numbers(view: Parameters<typeof readConfirmedBlocks>[0], finality: Finality, after: number | null = null) {
  return readConfirmedBlocks(view, [], finality, { after, limit: 200 }).headers.map((header) => header.number)
}

describe('what counts as confirmed', () => {
  test('as deep as the rule asks, counted like confirmations of a transaction', () => {
    expect(numbers(createTestView({ from: 100, head: 105 }), THREE)).toEqual([100, 101, 102])
    expect(numbers(createTestView({ from: 100, head: 102 }), { type: 'confirmations', count: 0 })).toEqual([
      100, 101, 102,
    ])
  })

  test('up to the tag, and nothing while the node has none', () => {
    const view = createTestView({ from: 100, head: 105, safe: 104, finalized: 101 })
    expect(numbers(view, { type: 'safe' })).toEqual([100, 101, 102, 103, 104])
    expect(numbers(view, { type: 'finalized' })).toEqual([100, 101])
    expect(numbers(createTestView({ from: 100, head: 105 }), { type: 'safe' })).toEqual([])
    expect(numbers(createTestView({ from: 100, head: 101, safe: 300 }), { type: 'safe' })).toEqual([100, 101])
  })

  test('a window or a chain that is not deep enough has none', () => {
    const shallow = readConfirmedBlocks(createTestView({ from: 104, head: 105 }), [], THREE, { after: null, limit: 10 })
    expect(shallow).toEqual({ headers: [], from: 104, confirmed: null, gap: false })
    expect(numbers(createTestView({ from: 0, head: 2 }), THREE)).toEqual([])
    expect(numbers(createTestView({ from: 0, head: 3 }), THREE)).toEqual([0])
  })
})

test('below the window the store continues, as far as its headers link', () => {
  const view = createTestView({ from: 100, head: 105 })
  const below = createTestView({ from: 96, head: 99 })
  const stored = [96, 97, 98, 99].flatMap((number) => below.header(number) ?? [])
  const read = (headers: typeof stored, after: number | null) => {
    const { headers: found, ...rest } = readConfirmedBlocks(view, headers, THREE, { after, limit: 200 })
    return { numbers: found.map((header) => header.number), ...rest }
  }
  expect(read(stored, 96)).toEqual({ numbers: [97, 98, 99, 100, 101, 102], from: 96, confirmed: 102, gap: false })
  expect(read(stored, 90)).toMatchObject({ from: 96, gap: true })
  const forked = stored.map((header) => (header.number === 97 ? { ...header, hash: blockHash(1) } : header))
  expect(read(forked, 96)).toMatchObject({ numbers: [98, 99, 100, 101, 102], from: 98, gap: true })
})

test('however the window moves between pages, a reader gets each confirmed block once and in order, or a gap notice', () => {
  const steps = fc.array(fc.record({ grow: fc.nat(8), limit: fc.integer({ min: 1, max: 5 }) }), {
    minLength: 1,
    maxLength: 40,
  })
  const gaps: boolean[] = []
  fc.assert(
    fc.property(steps, fc.integer({ min: 5, max: 12 }), (moves, size) => {
      let head = 10
      let after: number | null = null
      for (const { grow, limit } of moves) {
        head += grow
        const view = createTestView({ from: Math.max(0, head - size), head })
        const { headers, gap } = readConfirmedBlocks(view, [], THREE, { after, limit })
        gaps.push(gap)
        let expected: number = after === null || gap ? Math.max(0, head - size) : after + 1
        for (const header of headers) {
          expect(header.number).toBe(expected)
          expect(header.number).toBeLessThanOrEqual(head - 3)
          expected += 1
        }
        after = headers.at(-1)?.number ?? after
      }
    }),
  )
  expect(new Set(gaps)).toEqual(new Set([true, false]))
})

describe('GET /v1/chains/{chainId}/blocks', () => {
  const chainStatus = { finality: THREE } as const

  async function read(query: string, view = createTestView({ from: 100, head: 110 })) {
    const { server } = await createTestApi({ chainStatus, services: { viewOf: () => view } })
    const reply = await server.inject(`/v1/chains/${CHAIN_ID}/blocks${query}`)
    return { status: reply.statusCode, body: reply.json() }
  }

  test('pages by block number', async () => {
    const first = blockPage.strict().parse((await read('?limit=2')).body)
    expect(first).toMatchObject({ next: 101, from: 100, confirmed: 107, gap: false })
    expect(first.items).toEqual([
      { number: 100, hash: blockHash(100), parentHash: blockHash(99), timestamp: '2026-01-02T03:03:55.000Z' },
      { number: 101, hash: blockHash(101), parentHash: blockHash(100), timestamp: '2026-01-02T03:03:56.000Z' },
    ])
    const { body } = await read('?after=101')
    expect(body.items.map(({ number }: { number: number }) => number)).toEqual([102, 103, 104, 105, 106, 107])
    expect((await read('?after=107')).body).toMatchObject({ items: [], next: 107, gap: false })
    expect((await read('?after=5000')).body).toMatchObject({ items: [], next: 5_000, gap: false })
  })

  test('a cursor below the window is answered from its first block, and the gap is reported', async () => {
    expect((await read('?after=98&limit=1')).body).toMatchObject({ items: [{ number: 100 }], gap: true })
    expect((await read('?after=99&limit=1')).body).toMatchObject({ items: [{ number: 100 }], gap: false })
  })

  test('nothing confirmed and no cursor: no cursor to continue from yet', async () => {
    const page = (await read('', createTestView({ from: 110, head: 110 }))).body
    expect(page).toEqual({ items: [], next: null, from: 110, confirmed: null, gap: false })
  })

  test('an unknown chain, one without blocks yet, and an invalid chain id', async () => {
    const { server } = await createTestApi({ services: { viewOf: () => null } })
    const codes = []
    for (const chain of ['5', String(CHAIN_ID), 'main', '0']) {
      const reply = await server.inject(`/v1/chains/${chain}/blocks`)
      codes.push([reply.statusCode, reply.json().code])
    }
    expect(codes).toEqual([
      [404, 'not_found'],
      [503, 'chain_unavailable'],
      [400, 'invalid_request'],
      [400, 'invalid_request'],
    ])
  })
})
