/**
 * Finds our transactions in blocks, at a cost per block: the hashes of each new block are matched in memory against every
 * attempt of every lane that this node runs, and only a block that holds some of them costs one request for receipts.
 *
 * Behind it an audit looks up by hash what has been quiet for long, and everything after a start, a takeover or a gap.
 * Not found changes nothing. Only when the account's count is past a nonce, none of our hashes was ever seen in a block,
 * and both stayed so over repeated looks at growing heights, is the nonce called lost to a foreign transaction.
 */
import type { ChainView, Finality, Inclusion } from '../core/finality.ts'
import type { Address, Hash } from '../core/hex.ts'
import { inclusionOf, isInFlight, type Transaction, type TxId } from '../core/transaction.ts'
import { type Block, type Chain, ChainUnavailable, type ReceiptLookup } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { BlockFollower, ChainUpdate } from './block-follower.ts'
import type { LaneRunner } from './lane.ts'
import { pause } from './pause.ts'

export interface TrackerSettings {
  /** Not seen for this long: looked up by hash. */
  readonly staleReceiptTimeoutMs: number
  /** Blocks that may wait for their receipts; past it the rest is left to the audit. */
  readonly blockQueueLength: number
  readonly receiptBatch: number
  /** Looks, at different heights, before a nonce is called lost. */
  readonly lostAfterLooks: number
  readonly finality: Finality
}

export interface InclusionTracker {
  /** All of a lane's transactions in flight, just loaded: each is looked up once, whatever its age. */
  adopt(runner: LaneRunner, transactions: readonly Transaction[]): void
  /** Transactions of a lane that have just been stored. */
  update(runner: LaneRunner, transactions: readonly Transaction[]): void
  forget(runner: LaneRunner): void
  lookUp(txId: TxId): void
  stop(): Promise<void>
}

interface Watched {
  readonly runner: LaneRunner
  readonly txId: TxId
  nonce: number
  hashes: readonly Hash[]
  inclusion: Inclusion | null
  checkedAt: number
  wanted: boolean
  /** A canonical block listed one of our hashes: whatever a receipt look-up says, this nonce is ours. */
  listed: boolean
  suspicion: { looks: number; firstHead: number; lastHead: number } | null
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
  const watched = new Map<TxId, Watched>()
  const byHash = new Map<Hash, Watched>()
  const runners = new Map<LaneRunner, Set<TxId>>()
  let updates: ChainUpdate[] = []
  let working: Promise<void> | null = null
  let auditing: Promise<void> | null = null
  let auditFailures = 0
  let cancelAudit = (): void => {}
  let stopped = false
  const labels = { chain_id: chain.chainId }

  const unsubscribe = follower.onUpdate((update) => {
    if (updates.length >= settings.blockQueueLength) {
      // A slow node must not hold up the chain view: keep the newest look and let the audit find what is skipped.
      telemetry.count('drover_gaps_total', { part: 'tracker' })
      updates = [{ ...update, added: [], gap: true, forkFrom: lowestFork([...updates, update]) }]
    } else updates.push(update)
    working ??= work().finally(() => {
      working = null
    })
  })
  scheduleAudit(settings.staleReceiptTimeoutMs)

  async function work(): Promise<void> {
    for (let update = updates.shift(); update !== undefined && !stopped; update = updates.shift()) {
      for (const block of update.added) await match(block)
      if (update.gap) wantAll()
      for (const runner of runners.keys()) runner.post({ type: 'chain', view: update.view, forkFrom: update.forkFrom })
      if ([...watched.values()].some((entry) => entry.wanted || entry.suspicion !== null)) scheduleAudit(0)
    }
  }

  async function match(block: Block): Promise<void> {
    const mine = block.txHashes.filter((hash) => byHash.has(hash))
    if (mine.length === 0) return
    for (const hash of mine) setListed(byHash.get(hash))
    const found = await fetchInclusions(block, mine)
    telemetry.count('drover_receipt_lookups_total', { result: 'found' }, found.length)
    deliver(found)
    // A node that lists a transaction but has no receipt for it yet: the audit asks again.
    const missing = mine.filter((hash) => !found.some((inclusion) => inclusion.txHash === hash))
    for (const hash of missing) want(byHash.get(hash))
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
      const entry = byHash.get(inclusion.txHash)
      if (entry === undefined) continue
      entry.suspicion = null
      const list = perRunner.get(entry.runner) ?? []
      list.push({ txId: entry.txId, inclusion })
      perRunner.set(entry.runner, list)
    }
    for (const [runner, list] of perRunner) runner.post({ type: 'inclusions', inclusions: list })
  }

  function scheduleAudit(delayMs: number): void {
    cancelAudit()
    if (stopped) return
    cancelAudit = clock.schedule(delayMs, () => {
      auditing ??= audit().finally(() => {
        auditing = null
        const backOff =
          auditFailures === 0 ? settings.staleReceiptTimeoutMs / 4 : Math.min(15_000, 100 * 2 ** auditFailures)
        scheduleAudit(backOff)
      })
    })
  }

  async function audit(): Promise<void> {
    const now = clock.now()
    const due = [...watched.values()].filter((entry) => isDue(entry, now))
    try {
      for (let start = 0; start < due.length && !stopped; start += settings.receiptBatch) {
        await auditBatch(due.slice(start, start + settings.receiptBatch))
      }
      auditFailures = 0
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      auditFailures = Math.min(auditFailures + 1, 10)
      telemetry.count('drover_receipt_lookups_total', { result: 'failed' })
    }
  }

  function isDue(entry: Watched, now: number): boolean {
    if (entry.wanted) return true
    const head = follower.view()?.head.number ?? 0
    if (entry.suspicion !== null && entry.suspicion.lastHead < head) return true
    return entry.inclusion === null && now - entry.checkedAt >= settings.staleReceiptTimeoutMs
  }

  async function auditBatch(entries: readonly Watched[]): Promise<void> {
    const hashes = entries.flatMap((entry) => entry.hashes)
    const lookups = await chain.findReceipts(hashes)
    const results = new Map<Hash, ReceiptLookup>(
      hashes.flatMap((hash, index) => {
        const lookup = lookups[index]
        return lookup === undefined ? [] : [[hash, lookup]]
      }),
    )
    const missing: Watched[] = []
    for (const entry of entries) {
      const answers = entry.hashes.map((hash) => results.get(hash))
      if (answers.some((answer) => answer === undefined || answer.type === 'failed')) {
        telemetry.count('drover_receipt_lookups_total', { result: 'failed' })
        continue
      }
      entry.wanted = false
      entry.checkedAt = clock.now()
      const found = answers.find((answer) => answer?.type === 'found')
      telemetry.count('drover_receipt_lookups_total', { result: found ? 'found' : 'missing' })
      if (found?.type === 'found') await confirmFound(entry, found.inclusion)
      else if (entry.inclusion !== null) await confirmWithdrawn(entry, entry.inclusion)
      else missing.push(entry)
    }
    await suspect(missing)
  }

  /** A receipt says where; only the canonical chain says that it counts. */
  async function confirmFound(entry: Watched, inclusion: Inclusion): Promise<void> {
    const view = follower.view()
    if (view === null || inclusion.blockNumber > view.head.number) return want(entry)
    const inWindow = view.header(inclusion.blockNumber)
    const canonical = inWindow ?? (await chain.getBlock(inclusion.blockNumber))
    if (canonical === null || canonical.hash !== inclusion.blockHash) return
    if (entry.inclusion?.blockHash !== inclusion.blockHash) deliver([inclusion])
    if (inWindow === null) await settleDeep(entry, inclusion, view)
    else entry.runner.post({ type: 'chain', view, forkFrom: null })
  }

  async function settleDeep(entry: Watched, inclusion: Inclusion, view: ChainView): Promise<void> {
    const count = settings.finality.type === 'confirmations' ? settings.finality.count : 0
    const confirmations: { blockNumber: number; blockHash: Hash }[] = []
    for (
      let number = inclusion.blockNumber + 1;
      number <= Math.min(view.head.number, inclusion.blockNumber + count);
      number++
    ) {
      const block = await chain.getBlock(number)
      if (block === null) return want(entry)
      confirmations.push({ blockNumber: number, blockHash: block.hash })
    }
    entry.runner.post({ type: 'deep', txId: entry.txId, blockHash: inclusion.blockHash, confirmations })
  }

  async function confirmWithdrawn(entry: Watched, inclusion: Inclusion): Promise<void> {
    const block = await chain.getBlock(inclusion.blockNumber)
    if (block?.hash === inclusion.blockHash) return want(entry)
    entry.listed = false
    entry.runner.post({ type: 'withdrawn', txId: entry.txId, blockHash: inclusion.blockHash })
  }

  async function suspect(entries: readonly Watched[]): Promise<void> {
    const head = follower.view()?.head.number
    if (head === undefined) return
    const counts = new Map<Address, number>()
    for (const entry of entries) {
      if (entry.listed) continue
      const { signer } = entry.runner.lease.lane
      const count = counts.get(signer) ?? (await chain.getTransactionCount(signer, 'latest'))
      counts.set(signer, count)
      if (count <= entry.nonce) entry.suspicion = null
      else await deepenSuspicion(entry, head)
    }
  }

  async function deepenSuspicion(entry: Watched, head: number): Promise<void> {
    const before = entry.suspicion ?? { looks: 0, firstHead: head, lastHead: -1 }
    if (before.lastHead === head) return
    entry.suspicion = { ...before, looks: before.looks + 1, lastHead: head }
    const depth = settings.finality.type === 'confirmations' ? settings.finality.count : 64
    if (entry.suspicion.looks < settings.lostAfterLooks || head - before.firstHead < depth) return
    for (const hash of entry.hashes) if ((await chain.findTransaction(hash)) !== null) return
    telemetry.log('warn', 'a nonce was used by a foreign transaction', {
      ...labels,
      txId: entry.txId,
      nonce: entry.nonce,
    })
    entry.runner.post({ type: 'nonce.lost', txId: entry.txId })
  }

  function setListed(entry: Watched | undefined): void {
    if (entry === undefined) return
    entry.listed = true
    entry.suspicion = null
  }

  function want(entry: Watched | undefined): void {
    if (entry !== undefined) entry.wanted = true
  }

  function wantAll(): void {
    for (const entry of watched.values()) entry.wanted = true
  }

  function put(runner: LaneRunner, tx: Transaction, wanted: boolean): void {
    if (!isInFlight(tx)) {
      remove(tx.id)
      return
    }
    const before = watched.get(tx.id)
    const entry: Watched = {
      runner,
      txId: tx.id,
      nonce: tx.nonce,
      hashes: tx.attempts.map((attempt) => attempt.hash),
      inclusion: inclusionOf(tx),
      checkedAt: before?.checkedAt ?? clock.now(),
      wanted: wanted || (before?.wanted ?? false),
      listed: before?.listed ?? false,
      suspicion: before?.suspicion ?? null,
    }
    watched.set(tx.id, entry)
    for (const hash of entry.hashes) byHash.set(hash, entry)
    const ids = runners.get(runner) ?? new Set<TxId>()
    runners.set(runner, ids.add(tx.id))
  }

  function remove(txId: TxId): void {
    const entry = watched.get(txId)
    if (entry === undefined) return
    watched.delete(txId)
    for (const hash of entry.hashes) byHash.delete(hash)
    runners.get(entry.runner)?.delete(txId)
  }

  return {
    adopt: (runner, transactions) => {
      const current = new Set(transactions.map((tx) => tx.id))
      for (const txId of [...(runners.get(runner) ?? [])]) if (!current.has(txId)) remove(txId)
      if (!runners.has(runner)) runners.set(runner, new Set())
      for (const tx of transactions) put(runner, tx, true)
      const view = follower.view()
      if (view !== null) runner.post({ type: 'chain', view, forkFrom: null })
      if (transactions.length > 0) scheduleAudit(0)
    },
    update: (runner, transactions) => {
      for (const tx of transactions) put(runner, tx, false)
    },
    forget: (runner) => {
      for (const txId of runners.get(runner) ?? []) remove(txId)
      runners.delete(runner)
    },
    lookUp: (txId) => {
      want(watched.get(txId))
      scheduleAudit(0)
    },
    stop: async () => {
      stopped = true
      unsubscribe()
      cancelAudit()
      if (working !== null) await working
      if (auditing !== null) await auditing
    },
  }
}

function lowestFork(updates: readonly ChainUpdate[]): number | null {
  const forks = updates.flatMap((update) => (update.forkFrom === null ? [] : [update.forkFrom]))
  return forks.length === 0 ? null : Math.min(...forks)
}
