import { expect, test } from 'vitest'
import { blockHash, createTestView } from '../../testing/api/create-test-api.ts'
import {
  CONFIRMATIONS,
  dropped,
  finished,
  inclusionIn,
  mined,
  queued,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import { confirmationsResource } from '../contract/resources/confirmations-resource.ts'
import { presentConfirmations } from './present-confirmations.ts'

const THREE = { type: 'confirmations', count: 3 } as const
const view = createTestView({ from: 90, head: 110 })
const inBlock = (number: number) => mined({ inclusion: inclusionIn(number, { blockHash: blockHash(number) }) })
const list = (...numbers: number[]) => numbers.map((number) => ({ blockNumber: number, blockHash: blockHash(number) }))

test('while it is tracked: the headers that this node has on top of it, as many as the rule asks for', () => {
  expect(presentConfirmations(inBlock(108), THREE, view)).toEqual({
    required: 3,
    count: 2,
    final: false,
    newForks: 0,
    items: list(109, 110),
  })
  expect(presentConfirmations(inBlock(100), THREE, view)).toMatchObject({ count: 10, items: list(101, 102, 103) })
  expect(presentConfirmations(inBlock(108), { type: 'finalized' }, view)).toMatchObject({
    required: 'finalized',
    count: 2,
    items: list(109, 110),
  })
})

test('once final: the list that made it so, whatever the node sees now', () => {
  const final = { required: 3, final: true, items: CONFIRMATIONS }
  expect(presentConfirmations(finished('CONFIRMED'), THREE, null)).toMatchObject({ ...final, count: 3 })
  expect(presentConfirmations(finished('CONFIRMED'), THREE, createTestView({ from: 105, head: 110 }))).toMatchObject({
    ...final,
    count: 10,
  })
})

test.each([
  ['in no block', tracking('pending', { newForks: 2 }), view, { count: 0, newForks: 2 }],
  ['without a nonce', queued(), view, { count: 0, newForks: 0 }],
  ['dropped', dropped('EXPIRED', 'expired'), view, { count: 0, newForks: 0 }],
  ['in a block that has left the chain', mined({ inclusion: inclusionIn(100) }), view, { count: 0 }],
  ['in a block above our head', inBlock(112), view, { count: 0 }],
  ['below the window', inBlock(80), view, { count: 30 }],
  ['before any block was seen', inBlock(100), null, { count: 0 }],
] as const)('%s: no list', (_, tx, seen, expected) => {
  const shown = presentConfirmations(tx, THREE, seen)
  expect(shown).toMatchObject({ ...expected, items: [], final: false })
  expect(confirmationsResource.strict().parse(shown)).toEqual(shown)
})
