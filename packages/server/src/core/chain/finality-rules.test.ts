import { describe, expect, test } from 'vitest'
import { attemptOf, inclusionIn, mined } from '../../testing/core/sample-transactions.ts'
import type { Finality } from './finality.ts'
import { finalityOfInclusion, finalityOfLoss } from './finality-rules.ts'

const AT_ONCE: Finality = { type: 'confirmations', count: 0 }
const SIGNER: Finality = { type: 'confirmations', count: 12 }
const finalityOf = ({ finality }: { readonly finality: Finality | null }) => finality ?? SIGNER

describe('a caller that wants an early answer', () => {
  const attempts = [attemptOf(1), attemptOf(2, 'cancel')]
  const minedAs = (number: number) => {
    const tx = mined({ attempts, inclusion: inclusionIn(100, { txHash: attempts[number - 1]?.hash ?? '0x' }) })
    return { ...tx, intent: { ...tx.intent, finality: AT_ONCE } }
  }

  test('learns of the execution at once', () => {
    expect(finalityOfInclusion(minedAs(1), finalityOf)).toEqual(AT_ONCE)
  })

  test('learns that an empty transaction took the nonce only once that is final', () => {
    expect(finalityOfInclusion(minedAs(2), finalityOf)).toEqual(SIGNER)
  })
})

test.each<[Finality, Finality, Finality]>([
  [{ type: 'confirmations', count: 30 }, SIGNER, { type: 'confirmations', count: 30 }],
  [AT_ONCE, { type: 'finalized' }, { type: 'finalized' }],
  [{ type: 'safe' }, SIGNER, { type: 'safe' }],
  [{ type: 'safe' }, { type: 'finalized' }, { type: 'finalized' }],
])('of %j and %j the stricter counts for a loss', (wish, own, expected) => {
  expect(finalityOfLoss({ finality: wish }, ({ finality }) => finality ?? own)).toEqual(expected)
})
