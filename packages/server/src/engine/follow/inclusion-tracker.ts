/**
 * Finds our transactions in blocks, at a cost per block: the hashes of each new block are matched in memory against
 * every attempt of every lane that this node runs, and only a block that holds some of them costs one request for
 * receipts. The audit behind it finds what this may miss.
 */
import type { Inclusion } from '../../core/chain/finality.ts'
import type { Hash } from '../../core/hex.ts'
import type { Reservation, ReservationId } from '../../core/lane/reservation.ts'
import { isInFlight, type Transaction, type TxId } from '../../core/transaction/transaction.ts'
import { type Block, type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { LaneRunner } from '../lane/lane-runner.ts'
import { pause } from '../pause.ts'
import type { AuditSettings } from './audit-settings.ts'
import type { BlockFollower, ChainUpdate } from './block-follower.ts'
import { createPreconfirmationWatch } from './preconfirmation-watch.ts'
import { createReceiptAudit } from './receipt-audit.ts'
import { createWatchList, type Watched } from './watch-list.ts'

export interface TrackerSettings extends AuditSettings {
  /** Blocks that may wait for their receipts; beyond this, the rest is left to the audit. */
  readonly blockQueueLength: number
  /** Look a transaction up by hash as soon as it is sent, without waiting for a block. */
  readonly fetchReceiptUponEntry: boolean
  /** The chain's nodes show the block that is being built. */
  readonly preconfirmations: boolean
  readonly pollIntervalMs: number
}

export interface InclusionTracker {
  /** All of a lane's in-flight transactions, just loaded: each is looked up once, whatever its age. */
  adopt(runner: LaneRunner, transactions: readonly Transaction[]): void
  /** Transactions of a lane that have just been stored. */
  update(runner: LaneRunner, transactions: readonly Transaction[]): void
  /** The reservations of a lane that are not final: hashes reported by their holders are followed too. */
  follow(runner: LaneRunner, reservations: readonly Reservation[]): void
  forget(runner: LaneRunner): void
  lookUp(txId: TxId): void
  /** A transaction of ours is not mined yet, and should be. */
  hasUnmined(): boolean
  /** Some transaction is final only by a tag that the node reports. */
  wantsTags(): boolean
  stop(): Promise<void>
}

interface TrackerPorts {
  readonly chain: Chain
  readonly follower: BlockFollower
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly settings: TrackerSettings
}

const RECEIPT_TRIES = 3
const RETRY_MS = 100

export function createInclusionTracker({
  chain,
  follower,
  clock,
  telemetry,
  settings,
}: TrackerPorts): InclusionTracker {
  const list = createWatchList()
  const followed = new Map<LaneRunner, ReadonlySet<ReservationId>>()
  const catchUp = () => void follower.look()
  const audit = createReceiptAudit({ chain, list, clock, telemetry, settings, view: follower.view, catchUp, deliver })
  const promises = settings.preconfirmations
    ? createPreconfirmationWatch({ chain, list, clock, telemetry, settings, view: follower.view, lookUp })
    : null
  let updates: ChainUpdate[] = []
  let working: Promise<void> | null = null
  let stopped = false

  const unsubscribe = follower.onUpdate((update) => {
    if (updates.length >= settings.blockQueueLength) {
      // A slow node must not block the chain view: keep the newest look and let the audit find what is skipped.
      telemetry.count('drover_gaps_total', { part: 'tracker' })
      updates = [{ ...update, added: [], gap: true, forkFrom: lowestFork([...updates, update]) }]
    } else updates.push(update)
    gaugeDepth()
    working ??= work()
  })

  function gaugeDepth(): void {
    telemetry.gauge('drover_queue_depth', updates.length, { queue: 'blocks', chainId: chain.chainId })
  }

  async function work(): Promise<void> {
    // Must not finish before it is recorded as running: an update without blocks waits for nothing.
    await Promise.resolve()
    for (let update = updates.shift(); update !== undefined && !stopped; update = updates.shift()) {
      gaugeDepth()
      for (const block of update.added) await match(block)
      if (update.gap) for (const entry of list.all()) entry.wanted = true
      for (const runner of list.runners()) {
        runner.post({ type: 'chain', view: update.view, forkFrom: update.forkFrom, added: update.added })
      }
      if (list.all().some((entry) => entry.wanted || entry.suspicion !== null)) audit.hurry()
    }
    // In the same step as the last check: an update that arrived in between would be left unprocessed.
    working = null
  }

  async function match(block: Block): Promise<void> {
    const mine = new Map<Hash, Watched>()
    for (const hash of block.txHashes) {
      const entry = list.findByHash(hash)
      if (entry !== null) mine.set(hash, entry)
    }
    if (mine.size === 0) return
    for (const entry of mine.values()) {
      entry.listedIn = block
      entry.suspicion = null
    }
    const found = await fetchInclusions(block, [...mine.keys()])
    telemetry.count('drover_receipt_lookups_total', { result: 'found' }, found.length)
    deliver(found)
    // If a node lists a transaction but has no receipt for it yet, the audit asks again.
    for (const inclusion of found) mine.delete(inclusion.txHash)
    for (const entry of mine.values()) entry.wanted = true
  }

  async function fetchInclusions(block: Block, hashes: readonly Hash[]): Promise<readonly Inclusion[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const found = await chain.getInclusions(block, hashes)
        if (found.length === hashes.length || attempt === RECEIPT_TRIES) return found
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error
        telemetry.count('drover_receipt_lookups_total', { result: 'failed' })
        if (attempt === RECEIPT_TRIES) return []
      }
      await pause(clock, RETRY_MS * attempt)
    }
  }

  function deliver(inclusions: readonly Inclusion[]): void {
    const perRunner = new Map<LaneRunner, { txId: TxId; inclusion: Inclusion }[]>()
    for (const inclusion of inclusions) {
      const entry = list.findByHash(inclusion.txHash)
      if (entry === null) continue
      entry.suspicion = null
      const items = perRunner.get(entry.runner) ?? []
      items.push({ txId: entry.txId, inclusion })
      perRunner.set(entry.runner, items)
    }
    for (const [runner, items] of perRunner) runner.post({ type: 'inclusions', inclusions: items })
  }

  function lookUp(txId: TxId): void {
    const entry = list.find(txId)
    if (entry !== null) entry.wanted = true
    audit.hurry()
  }

  return {
    adopt: (runner, transactions) => {
      list.keepOnly(runner, new Set(transactions.map((tx) => tx.id)))
      for (const tx of transactions) list.put(runner, tx, clock.now(), true)
      const view = follower.view()
      if (view !== null) runner.post({ type: 'chain', view, forkFrom: null })
      if (transactions.length === 0) return
      audit.hurry()
      promises?.hurry()
    },
    update: (runner, transactions) => {
      const now = clock.now()
      let isEntry = false
      for (const tx of transactions) {
        // Not before it is sent: a node cannot know it yet, and the next look-up would be a long time away.
        const enters = isInFlight(tx) && tx.submitCount > 0 && list.find(tx.id)?.isSent !== true
        const wanted = enters && settings.fetchReceiptUponEntry
        isEntry ||= wanted
        list.put(runner, tx, now, wanted)
      }
      if (isEntry) audit.hurry()
      if (transactions.some((tx) => isInFlight(tx) && tx.submitCount > 0)) promises?.hurry()
    },
    follow: (runner, reservations) => {
      const ids = new Set(reservations.map(({ id }) => id))
      for (const id of followed.get(runner) ?? []) if (!ids.has(id)) list.remove(id)
      followed.set(runner, ids)
      for (const { id, hashes } of reservations) list.keepHashes(id, hashes)
      let isNew = false
      for (const reservation of reservations) {
        const { id, hashes } = reservation
        const known = list.find(id)?.hashes ?? []
        const wanted = hashes.some((hash) => !known.includes(hash))
        isNew ||= wanted
        list.putReservation(runner, reservation, clock.now(), wanted)
      }
      if (isNew) audit.hurry()
    },
    forget: (runner) => {
      followed.delete(runner)
      list.forget(runner)
    },
    lookUp,
    hasUnmined: () => list.all().some((entry) => entry.isAwaited),
    wantsTags: () => list.all().some((entry) => entry.finality().type !== 'confirmations'),
    stop: async () => {
      stopped = true
      unsubscribe()
      await promises?.stop()
      await audit.stop()
      if (working !== null) await working
    },
  }
}

function lowestFork(updates: readonly ChainUpdate[]): number | null {
  const forks = updates.flatMap((update) => (update.forkFrom === null ? [] : [update.forkFrom]))
  return forks.length === 0 ? null : Math.min(...forks)
}
