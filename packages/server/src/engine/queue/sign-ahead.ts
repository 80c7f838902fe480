/**
 * Signs several transactions of a lane at the same time: a key management service takes its time for each. Nonces are
 * given out one after the other, so this is a guess about the next ones: that all of them go, in order. Where the guess
 * was wrong, the bytes are dropped before anyone has seen them, and the transaction is signed again with its own nonce.
 */
import { isFill } from '../../core/transaction/fill.ts'
import type { TxId } from '../../core/transaction/transaction.ts'
import type { Preparation } from './prepare.ts'

export type Ready = Extract<Preparation, { type: 'ready' }>

/** Signatures of one lane that are asked for at the same time. */
export const MAX_SIGNING = 8

export interface SignAhead<Signed> {
  sign(ready: Ready, nonce: number, line: NextInLine): Promise<Signed>
}

/** What those behind a transaction can expect. */
interface NextInLine {
  /** Nonces that are given out before `next`, lowest first. */
  readonly free: readonly number[]
  readonly next: number
  /** How many can go at all, the transaction included. */
  readonly room: number
  /** Money for all of them; null: unknown. */
  readonly available: bigint | null
}

interface SigningPorts<Signed> {
  costOf(ready: Ready): bigint
  /** Whether it may be signed as it is. */
  mayGo(ready: Ready): boolean
  /** Must not throw. */
  sign(ready: Ready, nonce: number): Promise<Signed>
}

export function createSignAhead<Signed>(
  preparations: readonly Preparation[],
  { costOf, mayGo, sign }: SigningPorts<Signed>,
): SignAhead<Signed> {
  const begun = new Map<TxId, { readonly nonce: number; readonly signed: Promise<Signed> }>()

  /** Those behind it that can be expected to go, with it. */
  function findGoing(ready: Ready, { room, available }: NextInLine): readonly Ready[] {
    const going = [ready]
    if (!isPlain(ready) || !mayGo(ready)) return going
    let cost = costOf(ready)
    const start = preparations.findIndex(({ tx }) => tx.id === ready.tx.id)
    for (const one of preparations.slice(start + 1)) {
      if (going.length >= Math.min(room, MAX_SIGNING)) break
      if (one.type !== 'ready' || !isPlain(one) || !mayGo(one)) continue
      cost += costOf(one)
      if (available !== null && cost > available) break
      going.push(one)
    }
    return going
  }

  async function begin(ready: Ready, nonce: number, line: NextInLine): Promise<void> {
    // Those of a wrong guess may still be on their way: never more than so many at once.
    await Promise.all([...begun.values()].map(({ signed }) => signed))
    begun.clear()
    const after = Math.max(line.next, nonce + 1)
    const nonces = [...line.free.filter((one) => one > nonce), ...countFrom(after, MAX_SIGNING)]
    for (const [index, each] of findGoing(ready, line).entries()) {
      const own = index === 0 ? nonce : nonces[index - 1]
      if (own !== undefined) begun.set(each.tx.id, { nonce: own, signed: sign(each, own) })
    }
  }

  return {
    sign: async (ready, nonce, line) => {
      const { id } = ready.tx
      if (begun.get(id)?.nonce !== nonce) await begin(ready, nonce, line)
      const found = begun.get(id)?.signed ?? sign(ready, nonce)
      begun.delete(id)
      return await found
    },
  }
}

/** Takes whatever nonce is next. */
function isPlain({ tx: { intent } }: Ready): boolean {
  return !isFill(intent) && intent.exactNonce === undefined
}

function countFrom(from: number, amount: number): readonly number[] {
  return Array.from({ length: amount }, (_, index) => from + index)
}
