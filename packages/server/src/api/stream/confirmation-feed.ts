/**
 * Live confirmation counts. They are not history entries: each block would add one for every transaction below it.
 * Instead they are derived, once per block for all listeners, from the headers that this node follows.
 *
 * A listener that is new, or was too slow, first gets the whole list of each transaction, marked `newFork`: it replaces
 * everything sent before. After that it gets only what is new, until a reorg replaces the blocks on top and the whole
 * list is sent again. So nothing has to be remembered for a listener, and no wrong data can remain.
 */
import { type Caller, mayUse } from '../../core/access/caller.ts'
import {
  assessInclusion,
  type ChainView,
  type Confirmation,
  type Finality,
  listConfirmations,
} from '../../core/chain/finality.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { TxId } from '../../core/transaction/transaction.ts'
import type { EventFilter } from '../../core/webhook/event-filter.ts'
import type { MinedTransaction } from '../../ports/history.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { ConfirmationUpdate } from '../contract/resources/confirmation-update.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentFinality } from '../contract/values/finality.ts'

export interface ConfirmationReader {
  follow(onNews: () => void): () => void
  /** The bytes of what is new to this reader. Empty if the reader wants none of it, null if there is nothing new. */
  readNext(filter: EventFilter, caller: Caller): Buffer | null
}

export interface ConfirmationFeed {
  createReader(): ConfirmationReader
}

interface FeedPorts {
  readonly store: Pick<Store, 'listMined'>
  readonly telemetry: Pick<Telemetry, 'log'>
  chainIds(): readonly number[]
  viewOf(chainId: number): ChainView | null
  finalityOf(lane: Lane): Finality
  onChain(listener: (chainId: number) => void): () => void
}

interface Told {
  readonly mined: MinedTransaction
  readonly required: Finality
  readonly confirmations: readonly Confirmation[]
}

interface Frame {
  readonly place: number
  readonly lane: Lane
  readonly bytes: Buffer
}

/** Per chain, the most recently mined: limits the cost of one database read. */
const MAX_FOLLOWED = 2_000
const KEPT_FRAMES = 8_192
/** Transactions sent in one piece: a client that reads nothing keeps no more than this in memory. */
const PAGE = 200

export function createConfirmationFeed(ports: FeedPorts): ConfirmationFeed {
  const followers = new Set<() => void>()
  const told = new Map<TxId, Told>()
  const waiting = new Set<number>()
  let frames: Frame[] = []
  let place = 0
  let isLooking = false
  let unlisten: (() => void) | null = null

  function wake(chainId: number): void {
    waiting.add(chainId)
    if (isLooking) return
    isLooking = true
    void lookAll()
  }

  async function lookAll(): Promise<void> {
    for (const chainId of waiting) {
      waiting.delete(chainId)
      try {
        const view = ports.viewOf(chainId)
        if (view !== null && followers.size > 0)
          publish(chainId, view, await ports.store.listMined(chainId, MAX_FOLLOWED))
      } catch (error) {
        // The next block brings everything that this one would have.
        ports.telemetry.log('warn', 'could not read confirmations; retrying with the next block', { error })
      }
    }
    // In the same step as the last check: anything that arrives in between would not be processed.
    isLooking = false
  }

  function publish(chainId: number, view: ChainView, mined: readonly MinedTransaction[]): void {
    const ids = new Set(mined.map(({ txId }) => txId))
    for (const [id, { mined: one }] of told) if (one.lane.chainId === chainId && !ids.has(id)) told.delete(id)
    for (const one of mined) publishOne(view, one)
    frames = frames.slice(-KEPT_FRAMES)
    for (const onNews of [...followers]) onNews()
  }

  function publishOne(view: ChainView, mined: MinedTransaction): void {
    const required = mined.finality ?? ports.finalityOf(mined.lane)
    const { type } = assessInclusion(mined, view, required)
    if (type !== 'waiting' && type !== 'final') return
    const confirmations = listConfirmations(mined.blockNumber, view, required)
    const before = told.get(mined.txId)
    const isSame = before?.mined.blockHash === mined.blockHash && isPrefix(before.confirmations, confirmations)
    const added = isSame ? confirmations.slice(before.confirmations.length) : confirmations
    told.set(mined.txId, { mined, required, confirmations })
    if (added.length === 0 && isSame) return
    place += 1
    frames.push({ place, lane: mined.lane, bytes: frame({ mined, required, confirmations }, added, !isSame) })
  }

  function follow(onNews: () => void): () => void {
    const own = (): void => onNews()
    followers.add(own)
    // Later listeners reuse the result: however often clients reconnect, each block is examined once.
    if (unlisten === null) {
      unlisten = ports.onChain(wake)
      for (const chainId of ports.chainIds()) wake(chainId)
    }
    return () => {
      followers.delete(own)
      if (followers.size === 0) forget()
    }
  }

  function forget(): void {
    unlisten?.()
    unlisten = null
    told.clear()
    frames = []
  }

  return {
    createReader() {
      /** Null: must get everything first. */
      let last: number | null = null
      /** Whole lists still to be sent, as they were at `last`. */
      let whole: readonly Told[] = []
      return {
        follow,
        readNext(filter, caller) {
          const isMissed = last !== null && last < place && (frames[0]?.place ?? place + 1) > last + 1
          if (whole.length === 0 && (last === null || isMissed)) {
            whole = [...told.values()].filter(({ mined }) => isWanted(mined.lane, filter, caller))
            last = place
            if (whole.length === 0) return Buffer.alloc(0)
          }
          if (whole.length > 0) {
            const page = whole.slice(0, PAGE)
            whole = whole.slice(PAGE)
            return Buffer.concat(page.map((one) => frame(one, one.confirmations, true)))
          }
          if (last === place) return null
          const from = frames.findIndex((each) => each.place > (last ?? 0))
          const page = frames.slice(from, from + PAGE)
          last = page.at(-1)?.place ?? place
          return Buffer.concat(page.filter(({ lane }) => isWanted(lane, filter, caller)).map(({ bytes }) => bytes))
        },
      }
    },
  }
}

function isWanted(lane: Lane, { chainId, signer }: EventFilter, caller: Caller): boolean {
  if (chainId !== null && chainId !== lane.chainId) return false
  return (signer === null || signer === lane.signer) && mayUse(caller, lane)
}

function isPrefix(before: readonly Confirmation[], after: readonly Confirmation[]): boolean {
  return before.every(({ blockHash }, index) => after[index]?.blockHash === blockHash)
}

/** Without an id: a client that reconnects resumes the events, and gets all confirmations again. */
function frame({ mined, required, confirmations }: Told, added: readonly Confirmation[], newFork: boolean): Buffer {
  const { txId, lane, blockNumber, blockHash } = mined
  const resource: ConfirmationUpdate = {
    transactionId: txId,
    chainId: lane.chainId,
    from: checksumAddress(lane.signer),
    blockNumber,
    blockHash,
    count: confirmations.length,
    required: presentFinality(required),
    newFork,
    confirmations: added.map((one) => ({ blockNumber: one.blockNumber, blockHash: one.blockHash })),
  }
  return Buffer.from(`event: confirmations\ndata: ${JSON.stringify(resource)}\n\n`)
}
