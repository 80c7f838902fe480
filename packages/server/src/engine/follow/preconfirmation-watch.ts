/**
 * Reports early what a chain's nodes show in the block that is being built, on chains that show it under the tag
 * `pending`.
 *
 * The account's `pending` count only says whether a look is worthwhile: most nodes count their pool in it, so it proves
 * nothing. A receipt of one of our own hashes in a block above the followed head does. For a block at or below the
 * head, the tracker's own look-up decides. Nonces are mined in order, so the lowest few of a lane are looked up, and
 * those above them only while some are found: a look that finds nothing costs the same with ten in flight as with ten
 * thousand.
 *
 * A reported promise is not looked up again until the chain is past its block without the transaction. If no node shows
 * the transaction then, the promise is reported as lost, and the lane sends the same bytes again.
 */

import { backOff } from '../../core/back-off.ts'
import type { ChainView } from '../../core/chain/finality.ts'
import type { Hash } from '../../core/hex.ts'
import type { TxId } from '../../core/transaction/transaction.ts'
import { type Chain, ChainUnavailable, type ReceiptLookup } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { LaneRunner } from '../lane/lane-runner.ts'
import type { Watched, WatchList } from './watch-list.ts'

export interface PreconfirmationWatch {
  /** Something was sent: looks at once, but not before an interval has passed since the last look. */
  hurry(): void
  stop(): Promise<void>
}

interface WatchPorts {
  readonly chain: Pick<Chain, 'chainId' | 'getTransactionCount' | 'findReceipts'>
  readonly list: WatchList
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly settings: {
    readonly pollIntervalMs: number
    readonly receiptBatch: number
    /** Lanes whose count may be requested at once. */
    readonly receiptWorkers: number
  }
  view(): ChainView | null
  /** It is in a block that the chain has: the tracker finds out which. */
  lookUp(txId: TxId): void
}

interface Worth {
  readonly lanes: readonly (readonly Watched[])[]
  /** False: some lanes could not be queried. */
  readonly isWhole: boolean
}

const MAX_PAUSE_MS = 15_000
/** How many are looked up per lane at first; twice as many in each further round. */
const FIRST_LOOK = 4

export function createPreconfirmationWatch(ports: WatchPorts): PreconfirmationWatch {
  const { chain, list, clock, telemetry, settings } = ports
  let running: Promise<void> | null = null
  let lookedAt = Number.NEGATIVE_INFINITY
  /** Incomplete looks in a row. */
  let failures = 0
  let cancel = (): void => {}
  let stopped = false

  /** With nothing to wait for there is no timer: the next send starts it again. */
  function schedule(): void {
    cancel()
    if (stopped || !list.all().some(({ preconfirmation }) => preconfirmation !== 'none')) return
    const max = failures === 0 ? settings.pollIntervalMs : MAX_PAUSE_MS
    const pauseMs = backOff(failures + 1, { first: settings.pollIntervalMs, max })
    cancel = clock.schedule(Math.max(0, lookedAt + pauseMs - clock.monotonic()), () => {
      running ??= run()
    })
  }

  async function run(): Promise<void> {
    // Must not finish before it is recorded as running: a look without requests waits for nothing.
    await Promise.resolve()
    lookedAt = clock.monotonic()
    try {
      const isWhole = await look()
      failures = isWhole ? 0 : Math.min(failures + 1, 10)
    } catch (error) {
      failures = Math.min(failures + 1, 10)
      if (error instanceof ChainUnavailable) countLookups('failed', 1)
      else telemetry.log('error', 'preconfirmation check failed', { chainId: chain.chainId, error })
    }
    running = null
    schedule()
  }

  /** False: some could not be looked up. */
  async function look(): Promise<boolean> {
    const view = ports.view()
    if (view === null) return true
    let { lanes, isWhole } = await findWorthALook(list.all().filter((entry) => isDue(entry, view)))
    for (let width = FIRST_LOOK; lanes.length > 0 && !stopped; width *= 2) {
      const { shown, failed } = await lookUpAll(lanes.flatMap((entries) => entries.slice(0, width)))
      isWhole &&= failed === 0
      lanes = lanes
        .filter((entries) => entries.slice(0, width).some((entry) => shown.has(entry)))
        .map((entries) => entries.slice(width))
        .filter((entries) => entries.length > 0)
    }
    return isWhole
  }

  /** Per lane: the transactions below its account's count, lowest nonce first, and those that were promised before. */
  async function findWorthALook(due: readonly Watched[]): Promise<Worth> {
    const waiting = [...groupByLane(due)]
    const lanes: (readonly Watched[])[] = []
    const workers = Array.from({ length: Math.min(settings.receiptWorkers, waiting.length) }, async () => {
      for (let next = waiting.shift(); next !== undefined && !stopped; next = waiting.shift()) {
        const [runner, entries] = next
        const count = await chain.getTransactionCount(runner.lease.lane.signer, 'pending')
        const below = entries.filter(({ nonce, preconfirmation }) => nonce < count || preconfirmation === 'seen')
        if (below.length > 0) lanes.push(below.sort((a, b) => a.nonce - b.nonce))
      }
    })
    const results = await Promise.allSettled(workers)
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) if (!(reason instanceof ChainUnavailable)) throw reason
    return { lanes, isWhole: failed.length === 0 }
  }

  async function lookUpAll(entries: readonly Watched[]): Promise<{ shown: ReadonlySet<Watched>; failed: number }> {
    const shown = new Set<Watched>()
    let failed = 0
    for (const batch of splitByHashes(entries, settings.receiptBatch)) {
      if (stopped) break
      const hashes = batch.flatMap((entry) => entry.hashes)
      const lookups = await chain.findReceipts(hashes)
      const answers = new Map<Hash, ReceiptLookup | undefined>(hashes.map((hash, index) => [hash, lookups[index]]))
      const results = batch.map((entry) => postAnswer(entry, answers))
      for (const [index, entry] of batch.entries()) if (results[index] === 'found') shown.add(entry)
      for (const result of ['found', 'missing', 'failed'] as const) {
        countLookups(result, results.filter((each) => each === result).length)
      }
      failed += results.filter((result) => result === 'failed').length
    }
    return { shown, failed }
  }

  function postAnswer(entry: Watched, answers: ReadonlyMap<Hash, ReceiptLookup | undefined>): ReceiptLookup['type'] {
    const { txId, runner, promisedIn } = entry
    const own = entry.hashes.map((hash) => answers.get(hash))
    const found = own.find((answer) => answer?.type === 'found')
    if (found?.type === 'found') {
      const { txHash: hash, blockNumber, succeeded } = found.inclusion
      // Read again: the chain may have grown during the request.
      if (blockNumber <= (ports.view()?.head.number ?? 0)) ports.lookUp(txId)
      else {
        entry.promisedIn = blockNumber
        if (entry.preconfirmation === 'awaited') {
          runner.post({ type: 'preconfirmed', txId, hash, blockNumber, succeeded })
        }
      }
      return 'found'
    }
    if (own.some((answer) => answer?.type !== 'missing')) return 'failed'
    if (entry.preconfirmation === 'seen') {
      runner.post({ type: 'preconfirmation.lost', txId, blockNumber: promisedIn })
    }
    return 'missing'
  }

  function countLookups(result: ReceiptLookup['type'], count: number): void {
    if (count > 0) telemetry.count('drover_receipt_lookups_total', { result }, count)
  }

  return {
    hurry: () => {
      if (running === null) schedule()
    },
    stop: async () => {
      stopped = true
      cancel()
      if (running !== null) await running
    },
  }
}

/** A promise gets one block more than it named: the tracker may still be processing that one. */
function isDue({ preconfirmation, promisedIn, listedIn }: Watched, view: ChainView): boolean {
  if (preconfirmation === 'none') return false
  // A block already has it, and the tracker is fetching its receipt.
  if (listedIn !== null && view.header(listedIn.number)?.hash === listedIn.hash) return false
  return preconfirmation === 'awaited' || promisedIn === null || promisedIn < view.head.number
}

function groupByLane(entries: readonly Watched[]): ReadonlyMap<LaneRunner, readonly Watched[]> {
  const perLane = new Map<LaneRunner, Watched[]>()
  for (const entry of entries) {
    const own = perLane.get(entry.runner)
    if (own === undefined) perLane.set(entry.runner, [entry])
    else own.push(entry)
  }
  return perLane
}

function splitByHashes(entries: readonly Watched[], most: number): readonly (readonly Watched[])[] {
  const batches: Watched[][] = []
  let hashes = Number.POSITIVE_INFINITY
  for (const entry of entries) {
    hashes += entry.hashes.length
    if (hashes > most) {
      batches.push([])
      hashes = entry.hashes.length
    }
    batches.at(-1)?.push(entry)
  }
  return batches
}
