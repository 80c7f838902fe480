/**
 * The look-up by hash behind the block follower: for transactions that have been quiet for long, for everything after a
 * start, a takeover or a gap, and for what lies deeper than the header window. Not found changes nothing. An error
 * backs off and delays no other look-up.
 *
 * A nonce counts as lost to a foreign transaction only when the account's count is past it, no node knows any of our
 * hashes, and both stayed true over several looks as deep as finality itself. Even then, the block that used the nonce
 * must be found and must not list our hashes. Without that proof a node that lost its index would make us pay twice.
 */

import { backOff } from '../../core/back-off.ts'
import { assessInclusion, type ChainView, type Header, type Inclusion } from '../../core/chain/finality.ts'
import type { Address, Hash } from '../../core/hex.ts'
import { type Block, type Chain, ChainUnavailable, type ReceiptLookup } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { proveNonceUse } from '../foreign/prove-nonce-use.ts'
import type { AuditSettings } from './audit-settings.ts'
import { readConfirmations } from './read-confirmations.ts'
import type { Watched, WatchList } from './watch-list.ts'

export interface ReceiptAudit {
  /** Looks soon instead of at the scheduled time. */
  hurry(): void
  stop(): Promise<void>
}

interface AuditPorts {
  readonly chain: Chain
  readonly list: WatchList
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly settings: AuditSettings
  view(): ChainView | null
  /** A receipt is in a block that the follower has not seen: it should look now. */
  catchUp(): void
  /** Inclusions that are on the canonical chain. */
  deliver(inclusions: readonly Inclusion[]): void
}

const PAUSES = { first: 200, max: 15_000 }
const MAX_BLOCKS_KEPT = 2_000

export function createReceiptAudit(ports: AuditPorts): ReceiptAudit {
  const { chain, list, clock, telemetry, settings } = ports
  let running: Promise<void> | null = null
  let hurried = false
  let failures = 0
  let cancel = (): void => {}
  let stopped = false
  schedule(settings.staleReceiptTimeoutMs / 4)

  function schedule(delayMs: number): void {
    cancel()
    if (stopped) return
    cancel = clock.schedule(delayMs, () => {
      hurried = false
      running ??= audit().finally(() => {
        running = null
        const again = hurried && failures === 0
        hurried = false
        const pauseMs = failures === 0 ? settings.staleReceiptTimeoutMs / 4 : backOff(failures, PAUSES)
        schedule(again ? 0 : pauseMs)
      })
    })
  }

  /** Blocks below the window that this pass has read: a block with many transactions is requested once. */
  let read = new Map<number, Promise<Block | null>>()

  const deep: Pick<Chain, 'getBlock'> = {
    getBlock: (ref) => {
      if (typeof ref !== 'number') return chain.getBlock(ref)
      const known = read.get(ref)
      if (known !== undefined) return known
      const asked = chain.getBlock(ref)
      if (read.size < MAX_BLOCKS_KEPT) read.set(ref, asked)
      // Do not cache a failure, or a block that a node does not have yet.
      asked.then(
        (block) => block ?? read.delete(ref),
        () => read.delete(ref),
      )
      return asked
    },
  }

  async function audit(): Promise<void> {
    const now = clock.now()
    read = new Map()
    const due = list.all().filter((entry) => isDue(entry, now))
    gaugeDepth(due.length)
    const batches: (readonly Watched[])[] = []
    for (let start = 0; start < due.length; start += settings.receiptBatch) {
      batches.push(due.slice(start, start + settings.receiptBatch))
    }
    let failed = 0
    const workers = Array.from({ length: Math.min(settings.receiptWorkers, batches.length) }, async () => {
      for (let batch = batches.shift(); batch !== undefined && !stopped; batch = batches.shift())
        failed += await auditBatch(batch)
    })
    await Promise.all(workers)
    gaugeDepth(0)
    failures = failed === 0 ? 0 : Math.min(failures + 1, 10)
  }

  function isDue(entry: Watched, now: number): boolean {
    if (entry.wanted) return true
    const head = ports.view()?.head.number ?? 0
    if (entry.suspicion !== null && entry.suspicion.lastHead < head) return true
    return entry.inclusion === null && now - entry.checkedAt >= settings.staleReceiptTimeoutMs
  }

  /** Returns how many could not be looked up. Each is separate, so one error costs no other its answer. */
  async function auditBatch(entries: readonly Watched[]): Promise<number> {
    const hashes = entries.flatMap((entry) => entry.hashes)
    const lookups = await chain.findReceipts(hashes)
    const results = new Map<Hash, ReceiptLookup>()
    for (const [index, hash] of hashes.entries()) {
      const lookup = lookups[index]
      if (lookup !== undefined) results.set(hash, lookup)
    }
    const missing: Watched[] = []
    let failed = 0
    for (const entry of entries) {
      const answers = entry.hashes.map((hash) => results.get(hash))
      const found = answers.find((answer) => answer?.type === 'found')
      if (found === undefined && answers.some((answer) => answer?.type !== 'missing')) {
        countLookup('failed')
        failed++
        continue
      }
      entry.wanted = false
      entry.checkedAt = clock.now()
      countLookup(found === undefined ? 'missing' : 'found')
      if (found === undefined && entry.inclusion === null) missing.push(entry)
      else if (!(await isAnswered(() => confirm(entry, found?.type === 'found' ? found.inclusion : null)))) {
        // A partial look-up does not count.
        entry.wanted = true
        failed++
      }
    }
    return (await isAnswered(() => suspect(missing))) ? failed : failed + 1
  }

  async function isAnswered(ask: () => Promise<void>): Promise<boolean> {
    try {
      await ask()
      return true
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      countLookup('failed')
      return false
    }
  }

  async function confirm(entry: Watched, found: Inclusion | null): Promise<void> {
    if (found !== null) await confirmFound(entry, found)
    else if (entry.inclusion !== null) await confirmWithdrawn(entry, entry.inclusion)
  }

  /** A receipt says where; only the canonical chain decides whether it counts. */
  async function confirmFound(entry: Watched, inclusion: Inclusion): Promise<void> {
    const view = ports.view()
    if (view === null || inclusion.blockNumber > view.head.number) {
      entry.wanted = true
      ports.catchUp()
      return
    }
    const inWindow = view.header(inclusion.blockNumber)
    const canonical = inWindow ?? (await deep.getBlock(inclusion.blockNumber))
    if (canonical === null || canonical.hash !== inclusion.blockHash) return
    if (entry.inclusion?.blockHash !== inclusion.blockHash) ports.deliver([inclusion])
    if (inWindow === null) await settleDeep(entry, inclusion, canonical, view)
    else entry.runner.post({ type: 'chain', view, forkFrom: null })
  }

  /** Below the window only heights and tags can be judged; the list is read from the chain, each block on its parent. */
  async function settleDeep(entry: Watched, inclusion: Inclusion, at: Header, view: ChainView): Promise<void> {
    const finality = entry.finality()
    const reaching = { ...view, header: (number: number) => (number === at.number ? at : view.header(number)) }
    // Not final yet: its lane asks again with the next block.
    if (assessInclusion(inclusion, reaching, finality).type !== 'final') return
    const confirmations = await readConfirmations(deep, at, { view, finality })
    if (confirmations === null) {
      entry.wanted = true
      return
    }
    entry.runner.post({ type: 'deep', txId: entry.txId, blockHash: inclusion.blockHash, confirmations })
  }

  /** Only a different block in its place proves that an inclusion is gone; a node without it is merely behind. */
  async function confirmWithdrawn(entry: Watched, inclusion: Inclusion): Promise<void> {
    const canonical = ports.view()?.header(inclusion.blockNumber) ?? (await chain.getBlock(inclusion.blockNumber))
    if (canonical === null || canonical.hash === inclusion.blockHash) entry.wanted = true
    else entry.runner.post({ type: 'withdrawn', txId: entry.txId, blockHash: inclusion.blockHash })
  }

  async function suspect(entries: readonly Watched[]): Promise<void> {
    const head = ports.view()?.head.number
    if (head === undefined) return
    const counts = new Map<Address, number>()
    for (const entry of entries) {
      if (await isListed(entry)) continue
      const { signer } = entry.runner.lease.lane
      const count = counts.get(signer) ?? (await chain.getTransactionCount(signer, 'latest'))
      counts.set(signer, count)
      if (count <= entry.nonce) entry.suspicion = null
      else await deepenSuspicion(entry, head)
    }
  }

  async function isListed(entry: Watched): Promise<boolean> {
    if (entry.listedIn === null) return false
    const { number, hash } = entry.listedIn
    const canonical = ports.view()?.header(number) ?? (await chain.getBlock(number))
    if (canonical !== null && canonical.hash !== hash) entry.listedIn = null
    return entry.listedIn !== null
  }

  async function deepenSuspicion(entry: Watched, head: number): Promise<void> {
    const before = entry.suspicion ?? { looks: 0, firstHead: head, lastHead: -1 }
    if (before.lastHead === head) return
    entry.suspicion = { ...before, looks: before.looks + 1, lastHead: head }
    if (entry.suspicion.looks < settings.lostAfterLooks || !isFinalAt(before.firstHead, entry, head)) return
    for (const hash of entry.hashes) if ((await chain.findTransaction(hash)) !== null) return
    await decideLoss(entry)
  }

  /** The rule that makes an inclusion final applies to a loss as well. */
  function isFinalAt(height: number, entry: Watched, head: number): boolean {
    const finality = entry.lossFinality()
    if (finality.type === 'confirmations') return head - height >= finality.count
    const tag = ports.view()?.[finality.type] ?? null
    return tag !== null && tag >= height
  }

  async function decideLoss(entry: Watched): Promise<void> {
    const { txId, nonce, hashes } = entry
    const view = ports.view()
    if (view === null) return
    const { signer: address } = entry.runner.lease.lane
    const use = await proveNonceUse(chain, { address, nonce, hashes, view, finality: entry.lossFinality() })
    if (use.type === 'waiting') return
    // Whatever the result, the next suspicion starts from zero.
    entry.suspicion = null
    switch (use.type) {
      case 'ours': {
        const { blockNumber, blockHash } = use.proof.user.inclusion
        entry.listedIn = { number: blockNumber, hash: blockHash }
        return
      }
      case 'foreign': {
        const { txHash: hash, blockNumber: block } = use.proof.user.inclusion
        telemetry.log('warn', 'a nonce was used by a transaction that Drover did not sign', {
          txId,
          chainId: chain.chainId,
          signer: address,
          nonce,
          hash,
          block,
        })
        entry.runner.post({ type: 'nonce.lost', txId, nonce, proof: use.proof })
        return
      }
      case 'absent':
      case 'unproved':
        telemetry.log('warn', 'a nonce seems to be used, but Drover cannot prove by which transaction', {
          txId,
          chainId: chain.chainId,
          signer: address,
          nonce,
          ...use,
        })
    }
  }

  function gaugeDepth(count: number): void {
    telemetry.gauge('drover_queue_depth', count, { queue: 'receipts', chainId: chain.chainId })
  }

  function countLookup(result: 'found' | 'missing' | 'failed'): void {
    telemetry.count('drover_receipt_lookups_total', { result })
  }

  return {
    hurry: () => {
      hurried = true
      if (running === null) schedule(0)
    },
    stop: async () => {
      stopped = true
      cancel()
      if (running !== null) await running
    },
  }
}
