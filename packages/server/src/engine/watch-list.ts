/** Every attempt of every lane that this node runs, found by hash in no time. */
import type { Finality, Header, Inclusion } from '../core/finality.ts'
import type { Hash } from '../core/hex.ts'
import { inclusionOf, isInFlight, type Transaction, type TxId } from '../core/transaction.ts'
import type { LaneRunner } from './lane-runner.ts'

export interface Watched {
  readonly runner: LaneRunner
  readonly txId: TxId
  readonly nonce: number
  readonly hashes: readonly Hash[]
  readonly inclusion: Inclusion | null
  /** What makes an inclusion of it final; asked for anew each time, since a signer's policy may change. */
  finality(): Finality
  /** When it was last looked up by hash, or first seen here. */
  checkedAt: number
  /** To be looked up by hash at the next audit, whatever its age. */
  wanted: boolean
  /** The block that last listed one of its hashes: while that is canonical, whatever a receipt look-up says, the nonce is ours. */
  listedIn: Pick<Header, 'number' | 'hash'> | null
  /** The account's count is past the nonce and none of our hashes is known: how often that was seen, and at which heights. */
  suspicion: { readonly looks: number; readonly firstHead: number; readonly lastHead: number } | null
}

export interface WatchList {
  put(runner: LaneRunner, tx: Transaction, now: number, wanted: boolean): void
  /** Drops what a lane no longer has in flight. */
  keepOnly(runner: LaneRunner, ids: ReadonlySet<TxId>): void
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

  function remove(txId: TxId): void {
    const entry = byId.get(txId)
    if (entry === undefined) return
    byId.delete(txId)
    for (const hash of entry.hashes) byHash.delete(hash)
    perRunner.get(entry.runner)?.delete(txId)
  }

  return {
    put: (runner, tx, now, wanted) => {
      if (!isInFlight(tx)) {
        remove(tx.id)
        return
      }
      const before = byId.get(tx.id)
      if (before !== undefined && before.runner !== runner) perRunner.get(before.runner)?.delete(tx.id)
      // In place: a look-up that is under way holds this very entry, and what it finds out must not be lost.
      const entry: Watched = Object.assign(before ?? {}, {
        runner,
        txId: tx.id,
        nonce: tx.nonce,
        hashes: tx.attempts.map((attempt) => attempt.hash),
        inclusion: inclusionOf(tx),
        finality: () => runner.finalityOf(tx.intent),
        checkedAt: before?.checkedAt ?? now,
        wanted: wanted || (before?.wanted ?? false),
        listedIn: before?.listedIn ?? null,
        suspicion: before?.suspicion ?? null,
      })
      byId.set(tx.id, entry)
      for (const hash of entry.hashes) byHash.set(hash, entry)
      const ids = perRunner.get(runner) ?? new Set<TxId>()
      perRunner.set(runner, ids.add(tx.id))
    },
    keepOnly: (runner, ids) => {
      for (const txId of [...(perRunner.get(runner) ?? [])]) if (!ids.has(txId)) remove(txId)
      if (!perRunner.has(runner)) perRunner.set(runner, new Set())
    },
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
