/**
 * Sees everything from outside (what is signed, sent, stored, mined and delivered) and checks it against the
 * guarantees. It trusts no node: it reads the chain and the database themselves.
 */

import type { DecodedTransaction } from '../../../server/src/chain/decode-transaction.ts'
import { AppError } from '../../../server/src/core/app-error.ts'
import type { Address, Hash, Hex } from '../../../server/src/core/hex.ts'
import { laneKey } from '../../../server/src/core/lane/lane.ts'
import type { TxId } from '../../../server/src/core/transaction/transaction.ts'
import { isCompletion } from '../../../server/src/core/webhook/event-filter.ts'
import { ChainUnavailable } from '../../../server/src/ports/chain.ts'
import type { HistoryEntry } from '../../../server/src/ports/history.ts'
import type { LaneWrite, LaneWriteResult, TxSave } from '../../../server/src/ports/lane-write.ts'
import type { UnsignedTransaction } from '../../../server/src/ports/signer.ts'
import { StoreUnavailable } from '../../../server/src/ports/store.ts'
import type { MemoryState } from '../../../server/src/testing/store/memory-state.ts'
import type { SimBlock } from '../chain/block.ts'
import type { Network } from '../chain/network.ts'
import type { Setup } from '../cluster/setup.ts'
import type { Trace } from '../run/trace.ts'
import { Violation } from '../run/violation.ts'
import { createCostCheck } from './cost-check.ts'
import { createPaceCheck } from './pace-check.ts'
import { createTransactionCheck } from './transaction-check.ts'

export interface WatcherPorts {
  readonly setup: Setup
  readonly network: Network
  readonly state: MemoryState
  readonly trace: Trace
  decode(raw: Hex): DecodedTransaction
}

export interface Watcher {
  signed(address: Address, unsigned: UnsignedTransaction, hash: Hash): void
  /** Called when a node sends bytes to an RPC node. */
  sent(nodeId: string, raw: Hex): void
  /** Runs a database call and checks what it did. */
  call(
    nodeId: string,
    name: string,
    args: readonly unknown[],
    call: (...args: readonly unknown[]) => Promise<unknown>,
  ): Promise<unknown>
  /** Called when a webhook was delivered. */
  received(deliveryId: string, eventId: number): void
  /** Called when a reader of the stream got this event. */
  read(eventId: number): void
  /** Called when a caller got the answer that its intent is accepted. */
  accepted(requestKey: string, id: TxId): void
  /** Records how an operation ended: expected errors are fine, anything else is a bug. */
  guard(promise: Promise<unknown>, what: string): void
  /** Throws the first violation. */
  check(): void
  /** Everything in the stream has reached the webhook and the reader. */
  hasDelivered(): boolean
  checkStreams(): void
  readonly counts: { signed: number; sent: number; takeovers: number; accepted: number }
}

export function createWatcher(ports: WatcherPorts): Watcher {
  const { network, state, trace } = ports
  const touched = new Set<TxId>()
  const cursors = new Map<string, number>()
  /** Orders to move a cursor back that were carried out. */
  const resets = new Set<string>()
  const answers = new Map<string, TxId>()
  const delivered = new Set<number>()
  const blocksSeen: SimBlock[] = []
  /** By lane and nonce: the transaction whose bytes were sent. */
  const holders = new Map<string, TxId>()
  const counts = { signed: 0, sent: 0, takeovers: 0, accepted: 0 }
  const checkTransaction = createTransactionCheck(ports)
  const checkCost = createCostCheck(ports)
  const checkPace = createPaceCheck(state.now, network.views.length)
  let found: Violation | null = null
  let eventsSeen = 0
  let lastRead = 0

  function report(guarantee: string, message: string): void {
    found ??= new Violation(guarantee, message)
  }

  function attempt(run: () => void): void {
    try {
      run()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      found ??= error
    }
  }

  function noteSaves(saves: readonly TxSave[]): void {
    for (const { tx } of saves) touched.add(tx.id)
  }

  async function writeLanes(
    nodeId: string,
    writes: readonly LaneWrite[],
    run: () => Promise<unknown>,
  ): Promise<unknown> {
    const live = writes.map(({ lease }) => {
      const lane = state.lanes.get(laneKey(lease.lane))
      return lane?.owner === lease.nodeId && lane.fence === lease.fence && lane.expiresAt > state.now()
    })
    const results = (await run()) as readonly LaneWriteResult[]
    noteEvents()
    for (const [index, { lease, saves }] of writes.entries()) {
      if (results[index]?.type !== 'written') continue
      noteSaves(saves)
      if (!live[index])
        report('G5', `${nodeId} wrote to ${lease.lane.signer} with fence ${lease.fence}, which it no longer holds`)
      for (const { tx, before } of saves)
        for (const each of tx.attempts.slice(before.attemptCount)) attempt(() => checkCost.attempt(tx, each))
    }
    return results
  }

  function checkCursors(): void {
    for (const lane of state.lanes.values()) {
      const key = laneKey(lane.lane)
      const before = cursors.get(key) ?? 0
      const now = lane.cursor ?? 0
      const done = lane.resets.filter((reset) => reset.state === 'DONE' && !resets.has(reset.id))
      const isOrdered = done.some(({ toNonce }) => toNonce !== null && toNonce <= now)
      if (now < before && !isOrdered)
        throw new Violation('G2', `the cursor of ${key} went back from ${before} to ${now}, and nobody ordered it`)
      for (const { id } of done) resets.add(id)
      cursors.set(key, now)
    }
  }

  function noteEvents(): void {
    if (state.events.length === eventsSeen) return
    for (const { eventId, type, txId, toState, cause } of state.events.slice(eventsSeen))
      trace.add(
        `  event ${eventId} ${type}${cause === null ? '' : `/${cause}`} ${txId?.slice(-4) ?? '-'} ${toState ?? '-'}`,
      )
    eventsSeen = state.events.length
  }

  /** Transactions of blocks added or removed since the last check. */
  function noteBlocks(): void {
    for (let block: SimBlock | null = network.head(); block !== null; block = block.parent) {
      const before: SimBlock | undefined = blocksSeen[block.number]
      if (before === block) return
      blocksSeen[block.number] = block
      for (const { hash } of [...block.transactions, ...(before?.transactions ?? [])]) {
        const id = state.hashes.get(hash)
        if (id !== undefined) touched.add(id)
      }
    }
  }

  function findUndelivered(): HistoryEntry | undefined {
    return state.events.find((event) => (ports.setup.tellsAll || isCompletion(event)) && !delivered.has(event.eventId))
  }

  return {
    counts,
    signed(address, unsigned, hash) {
      counts.signed++
      attempt(() => checkCost.signed(address, unsigned, hash))
    },
    sent(nodeId, raw) {
      counts.sent++
      const { hash, from, nonce, gasLimit } = ports.decode(raw)
      const id = state.hashes.get(hash)
      trace.add(`  ${nodeId} sends ${hash.slice(0, 10)} nonce ${nonce}`)
      attempt(() => checkPace(`${nodeId} ${hash}`))
      if (id === undefined) return report('G4', `${nodeId} sent ${hash} (nonce ${nonce}), which is not stored`)
      if (gasLimit < 21_000n) return
      const key = `${from} ${nonce}`
      const holder = holders.get(key)
      if (holder !== undefined && holder !== id)
        report('G1', `nonce ${nonce} of ${from} was sent for ${holder}, and now for ${id}`)
      holders.set(key, id)
    },
    async call(nodeId, name, args, call) {
      if (name === 'writeLanes') return await writeLanes(nodeId, args[0] as readonly LaneWrite[], () => call(...args))
      if (name === 'amend') noteSaves([args[0] as TxSave])
      const answer = await call(...args)
      noteEvents()
      if (name === 'acquireLeases') counts.takeovers += (answer as readonly unknown[]).length
      return answer
    },
    received: (_deliveryId, eventId) => void delivered.add(eventId),
    read(eventId) {
      if (eventId > lastRead + 1) report('G8', `a reader of the stream got event ${eventId} after ${lastRead}`)
      lastRead = Math.max(lastRead, eventId)
    },
    accepted(requestKey, id) {
      const before = answers.get(requestKey)
      if (before === undefined) counts.accepted++
      if (before !== undefined && before !== id) report('G3', `request ${requestKey} became ${before}, and then ${id}`)
      answers.set(requestKey, id)
    },
    guard(promise, what) {
      promise.catch((error: unknown) => {
        if (error instanceof AppError && error.code !== 'internal') return
        if (error instanceof StoreUnavailable || error instanceof ChainUnavailable) return
        report('bug', `${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      })
    },
    check() {
      noteEvents()
      noteBlocks()
      if (found !== null) throw found
      checkCursors()
      for (const id of touched) checkTransaction(id)
      touched.clear()
      for (const [key, id] of answers)
        if (!state.laneOf.has(id))
          throw new Violation('G7', `request ${key} was accepted as ${id}, which is not stored`)
    },
    hasDelivered: () => findUndelivered() === undefined && lastRead === state.events.length,
    checkStreams() {
      const missing = findUndelivered()
      if (missing !== undefined)
        throw new Violation('G8', `event ${missing.eventId} (${missing.type}) was never delivered to the webhook`)
      if (lastRead !== state.events.length)
        throw new Violation('G8', `the reader of the stream is at ${lastRead} of ${state.events.length}`)
    },
  }
}
