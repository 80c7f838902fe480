import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type InFlight, inclusionOf, isInFlight, type Transaction } from '../../core/transaction/transaction.ts'
import { createLedger, updateLedger } from './ledger.ts'

interface Seen {
  readonly id: number
  readonly nonce: number
  readonly state: 'unmined' | 'mined' | 'final'
}

function toTransaction({ id, nonce, state }: Seen): Transaction {
  const inclusion = state === 'mined' ? {} : null
  return {
    id: `tx-${id}`,
    nonce,
    state: state === 'final' ? 'CONFIRMED' : 'TRACKING',
    inclusion,
  } as unknown as Transaction
}

const isSent = (tx: Transaction): tx is InFlight => isInFlight(tx)

/** What a ledger that was loaded again would hold. */
function reload(stored: ReadonlyMap<string, Transaction>) {
  return createLedger({ cursor: 0, inFlight: [...stored.values()].filter(isSent), recyclable: [] })
}

test('after any changes a ledger is what loading it again would give, in the same order', () => {
  const seen = fc.record({
    id: fc.nat(12),
    nonce: fc.nat(20),
    state: fc.constantFrom('unmined' as const, 'mined' as const, 'final' as const),
  })
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(seen, { selector: ({ id }) => id, maxLength: 8 }), { maxLength: 8 }),
      (writes) => {
        const stored = new Map<string, Transaction>()
        let ledger = reload(stored)
        for (const write of writes) {
          const changed = write.map(toTransaction)
          for (const tx of changed) stored.set(tx.id, tx)
          // A nonce belongs to one transaction at a time.
          for (const tx of changed) {
            for (const [id, other] of stored) {
              if (id !== tx.id && isSent(other) && isSent(tx) && other.nonce === tx.nonce) stored.delete(id)
            }
          }
          const gone = [...ledger.inFlight.values()].filter(({ id }) => !stored.has(id))
          const left = changed.filter(({ id }) => stored.has(id))
          const ended = gone.map(({ id, nonce }) => ({ id, nonce, state: 'CONFIRMED' }) as unknown as Transaction)
          ledger = updateLedger(ledger, [...ended, ...left])
          const expected = reload(stored)
          expect([...ledger.inFlight.values()]).toEqual([...expected.inFlight.values()])
          expect([...ledger.unmined.values()]).toEqual([...expected.unmined.values()])
          expect([...ledger.unmined.values()].every((tx) => inclusionOf(tx) === null)).toBe(true)
        }
      },
    ),
  )
})
