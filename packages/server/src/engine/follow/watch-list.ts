/** Every attempt of every lane that this node runs, indexed by hash. */
import type { Finality, Header, Inclusion } from '../../core/chain/finality.ts'
import { finalityOfInclusion, finalityOfLoss } from '../../core/chain/finality-rules.ts'
import type { Hash } from '../../core/hex.ts'
import type { Reservation } from '../../core/lane/reservation.ts'
import { mayBePreconfirmed } from '../../core/transaction/preconfirm.ts'
import {
  type InFlight,
  inclusionOf,
  isInFlight,
  isPreconfirmed,
  type Transaction,
  type TxId,
} from '../../core/transaction/transaction.ts'
import type { LaneRunner } from '../lane/lane-runner.ts'

export interface Watched {
  readonly runner: LaneRunner
  /** The id of a transaction, or of a reservation whose holder reported a hash. */
  readonly txId: TxId
  readonly nonce: number
  /** Hashes of the attempts at this nonce. Attempts at a nonce that it lost prove nothing: another has that one now. */
  readonly hashes: readonly Hash[]
  readonly inclusion: Inclusion | null
  /** Its bytes went to a node: before that there is nothing to find. */
  readonly isSent: boolean
  /** A block should include it: it is not mined yet and not suspended. */
  readonly isAwaited: boolean
  /** Whether a node may still show it, or has shown it, in a block being built; `none` if that would add nothing. */
  readonly preconfirmation: 'none' | 'awaited' | 'seen'
  /** The rule that makes an inclusion of it final; read each time, because a signer's policy may change. */
  finality(): Finality
  /** The rule that proves that the nonce is lost to another transaction. */
  lossFinality(): Finality
  /** When it was last looked up by hash, or first seen here. */
  checkedAt: number
  /** Look it up by hash at the next audit, whatever its age. */
  wanted: boolean
  /** The block that last listed one of its hashes: while it is canonical, the nonce is ours, whatever receipts say. */
  listedIn: Pick<Header, 'number' | 'hash'> | null
  /** The block in which a node last showed it, while the chain did not have that block. */
  promisedIn: number | null
  /** The account's count is past the nonce and no hash of ours is known: how often that was seen, at which heights. */
  suspicion: { readonly looks: number; readonly firstHead: number; readonly lastHead: number } | null
}

type Watchable = Pick<
  Watched,
  'txId' | 'nonce' | 'hashes' | 'inclusion' | 'isSent' | 'isAwaited' | 'preconfirmation' | 'finality' | 'lossFinality'
>

export interface WatchList {
  put(runner: LaneRunner, tx: Transaction, now: number, wanted: boolean): void
  /** Watched while its holder has reported a hash and that is not final. */
  putReservation(runner: LaneRunner, reservation: Reservation, now: number, wanted: boolean): void
  /** Drops what a lane no longer has in flight. */
  keepOnly(runner: LaneRunner, ids: ReadonlySet<TxId>): void
  /** Gives up all hashes except these, so another transaction can be found by them. */
  keepHashes(txId: TxId, hashes: readonly Hash[]): void
  remove(txId: TxId): void
  forget(runner: LaneRunner): void
  find(txId: TxId): Watched | null
  findByHash(hash: Hash): Watched | null
  runners(): readonly LaneRunner[]
  all(): readonly Watched[]
}

export function createWatchList(): WatchList {
  const byId = new Map<TxId, Watched>()
  const byHash = new Map<Hash, Watched>()
  const perRunner = new Map<LaneRunner, Set<TxId>>()

  function unmap(entry: Watched, kept: readonly Hash[]): void {
    for (const hash of entry.hashes) if (byHash.get(hash) === entry && !kept.includes(hash)) byHash.delete(hash)
  }

  function remove(txId: TxId): void {
    const entry = byId.get(txId)
    if (entry === undefined) return
    byId.delete(txId)
    unmap(entry, [])
    perRunner.get(entry.runner)?.delete(txId)
  }

  function set(runner: LaneRunner, item: Watchable, now: number, wanted: boolean, isOurs: boolean): void {
    const before = byId.get(item.txId)
    if (before !== undefined && before.runner !== runner) perRunner.get(before.runner)?.delete(item.txId)
    if (before !== undefined) unmap(before, item.hashes)
    // In place: a look-up in progress holds this very entry, and its result must not be lost.
    const entry: Watched = Object.assign(before ?? {}, {
      runner,
      ...item,
      checkedAt: before?.checkedAt ?? now,
      wanted: wanted || (before?.wanted ?? false),
      listedIn: before?.listedIn ?? null,
      promisedIn: before?.promisedIn ?? null,
      suspicion: before?.suspicion ?? null,
    })
    byId.set(item.txId, entry)
    // A hash reported by a holder is unverified: it must not displace the transaction that had it first.
    for (const hash of entry.hashes) if (isOurs || !byHash.has(hash)) byHash.set(hash, entry)
    const ids = perRunner.get(runner) ?? new Set<TxId>()
    perRunner.set(runner, ids.add(item.txId))
  }

  return {
    put: (runner, tx, now, wanted) => {
      if (!isInFlight(tx)) return remove(tx.id)
      const { id: txId, nonce, intent } = tx
      const hashes = tx.attempts.filter((attempt) => attempt.nonce === nonce).map((attempt) => attempt.hash)
      const rules = {
        finality: () => finalityOfInclusion(tx, runner.finalityOf),
        lossFinality: () => finalityOfLoss(intent, runner.finalityOf),
      }
      const preconfirmation = preconfirmationOf(tx)
      const inclusion = inclusionOf(tx)
      const [isSent, isAwaited] = [tx.submitCount > 0, inclusion === null && !tx.suspended]
      set(runner, { txId, nonce, hashes, inclusion, isSent, isAwaited, preconfirmation, ...rules }, now, wanted, true)
    },
    putReservation: (runner, reservation, now, wanted) => {
      const { id: txId, state, nonce, hashes, inclusion, finalAt } = reservation
      if (state !== 'USED' || nonce === null || finalAt !== null) return remove(txId)
      const finality = () => runner.finalityOf({ finality: null })
      const rules = { finality, lossFinality: finality, isSent: true, isAwaited: inclusion === null }
      set(runner, { txId, nonce, hashes, inclusion, preconfirmation: 'none', ...rules }, now, wanted, false)
    },
    keepOnly: (runner, ids) => {
      for (const txId of [...(perRunner.get(runner) ?? [])]) if (!ids.has(txId)) remove(txId)
      if (!perRunner.has(runner)) perRunner.set(runner, new Set())
    },
    keepHashes: (txId, hashes) => {
      const entry = byId.get(txId)
      if (entry !== undefined) unmap(entry, hashes)
    },
    remove,
    forget: (runner) => {
      for (const txId of [...(perRunner.get(runner) ?? [])]) remove(txId)
      perRunner.delete(runner)
    },
    find: (txId) => byId.get(txId) ?? null,
    findByHash: (hash) => byHash.get(hash) ?? null,
    runners: () => [...perRunner.keys()],
    all: () => [...byId.values()],
  }
}

function preconfirmationOf(tx: InFlight): Watched['preconfirmation'] {
  if (!mayBePreconfirmed(tx)) return 'none'
  return isPreconfirmed(tx) ? 'seen' : 'awaited'
}
