import { expect, test } from 'vitest'
import { formBlockColumns } from './block-columns.ts'

const block = (blockNumber: number, blockHash: string) => ({ blockNumber, blockHash })
const seenIn = (blockNumber: number, blockHash: string) => ({
  type: 'inclusion.seen',
  detail: { blockNumber, blockHash, succeeded: true },
})
const reorged = (blockNumber: number, blockHash: string) => ({
  type: 'inclusion.reorged',
  detail: { blockNumber, blockHash },
})
const NONE = { history: [], seen: [] }

test('without a reorg: its own block, and those on top of it', () => {
  const above = [block(8, '0xb'), block(9, '0xc')]
  const history = [seenIn(7, '0xa')]
  expect(formBlockColumns({ ...NONE, own: block(7, '0xa'), above, history })).toEqual([
    { blockNumber: 7, blockHash: '0xa', isOwn: true, dropped: [] },
    { blockNumber: 8, blockHash: '0xb', isOwn: false, dropped: [] },
    { blockNumber: 9, blockHash: '0xc', isOwn: false, dropped: [] },
  ])
})

test('a block that was dropped is beside the one that replaced it', () => {
  const history = [seenIn(7, '0xa'), reorged(7, '0xa'), seenIn(7, '0xd')]
  expect(formBlockColumns({ ...NONE, own: block(7, '0xd'), above: [], history })).toEqual([
    { blockNumber: 7, blockHash: '0xd', isOwn: true, dropped: [{ blockHash: '0xa', wasOwn: true }] },
  ])
})

test('or below, where the transaction came back later, or not yet', () => {
  const history = [seenIn(7, '0xa'), reorged(7, '0xa'), seenIn(9, '0xd')]
  const lost = { blockNumber: 7, blockHash: null, isOwn: false, dropped: [{ blockHash: '0xa', wasOwn: true }] }
  expect(formBlockColumns({ ...NONE, own: block(9, '0xd'), above: [], history })).toEqual([
    lost,
    { blockNumber: 9, blockHash: '0xd', isOwn: true, dropped: [] },
  ])
  expect(formBlockColumns({ ...NONE, own: null, above: [], history: history.slice(0, 2) })).toEqual([lost])
})

test('blocks on top of it are dropped too: from the history, and from what was seen before', () => {
  const replaced = { type: 'confirmations.replaced', detail: { confirmations: [block(8, '0xb')] } }
  const columns = formBlockColumns({
    own: block(7, '0xa'),
    above: [block(8, '0xe')],
    history: [seenIn(7, '0xa'), replaced],
    // What is higher than the chain is now is not shown.
    seen: [block(8, '0xf'), block(8, '0xe'), block(9, '0xc')],
  })
  expect(columns[1]).toEqual({
    blockNumber: 8,
    blockHash: '0xe',
    isOwn: false,
    dropped: [
      { blockHash: '0xf', wasOwn: false },
      { blockHash: '0xb', wasOwn: false },
    ],
  })
  expect(columns).toHaveLength(2)
})
