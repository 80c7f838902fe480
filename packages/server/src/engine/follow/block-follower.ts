/**
 * Follows one chain. Each look takes the latest block and walks back by parent hash until it meets a header that is
 * already known as canonical. That one walk finds new blocks, missed blocks and reorgs alike, and never trusts a
 * height. The header window is bounded. If a walk leaves it (a very deep reorg, a long absence), the window is
 * restarted and listeners are notified of a gap, so they look up by hash what they may have missed. A look that fails
 * half-way keeps the blocks that it got, and the next one finishes that walk first: however fast the chain grows
 * meanwhile, every answer brings the view closer. If a long walk does not finish in time, the window is restarted from
 * its top: with a node that rate-limits, it is cheaper to look up by hash what was missed.
 */

import { backOff } from '../../core/back-off.ts'
import type { ChainView, Header } from '../../core/chain/finality.ts'
import { coalesce } from '../../core/coalesced-task.ts'
import type { Hash } from '../../core/hex.ts'
import { type Block, type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { BlockMissing, createBlockWalker } from './block-walker.ts'

export interface ChainUpdate {
  readonly view: ChainView
  /** New canonical blocks, lowest first. */
  readonly added: readonly Block[]
  /** Lowest height whose canonical block changed; null if the chain only grew. */
  readonly forkFrom: number | null
  /** Blocks may have been missed between the old window and `added`. */
  readonly gap: boolean
}

export interface FollowerSettings {
  readonly windowSize: number
  /** How far back the first look reaches, so transactions mined shortly before a start are found in the window. */
  readonly initialDepth: number
  readonly pollIntervalMs: number
  /** Tags are requested only if a finality rule needs them. */
  readonly wantsTags: () => boolean
}

export interface BlockFollower {
  /** The latest view, or null until the first block was seen. */
  view(): ChainView | null
  /** When the chain last returned something useful, by the monotonic clock. */
  lastAnswerAt(): number | null
  /** Since when no look has finished, by the monotonic clock; null if the last one did. */
  failingSince(): number | null
  lastError(): string | null
  /** When the newest head was first seen, by the monotonic clock. */
  headSeenAt(): number | null
  /** The height that the nodes reported last: below the head of the view if they have gone back. */
  lastHeight(): number | null
  /** The highest block ever followed, in this run or the one before. */
  highest(): number | null
  /** Called after every look, whatever its result. */
  onLook(listener: () => void): () => void
  /** `known`: headers from an earlier run, oldest first; the first look continues from them. */
  start(known?: readonly Header[]): void
  /** Looks now; resolves when that look is done. */
  look(): Promise<void>
  onUpdate(listener: (update: ChainUpdate) => void): () => void
  stop(): Promise<void>
}

type Tags = Pick<ChainView, 'safe' | 'finalized'>

interface Walked {
  /** Known headers that stay, and the blocks on top of them, lowest first. */
  readonly kept: readonly Header[]
  readonly added: readonly Block[]
  readonly gap: boolean
}

interface FollowerPorts {
  readonly chain: Chain
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly settings: FollowerSettings
}

/** A failed look is repeated soon, then less and less often while it keeps failing. */
const FIRST_RETRY_MS = 500
const MAX_WALK_MS = 10_000
/** A look without any answer for this long counts as failing, although no request has timed out yet. */
const SLOW_LOOK_MS = 3_000
/** While a look waits, it is checked this often, and the nodes are asked for something else. */
const CHECK_MS = 1_000
/** The longest wait, whatever a node asks for. */
const MAX_WAIT_MS = 60_000

export function createBlockFollower({ chain, clock, telemetry, settings }: FollowerPorts): BlockFollower {
  let window: readonly Header[] = []
  let view: ChainView | null = null
  let answeredAt: number | null = null
  let failingSince: number | null = null
  let headSeenAt: number | null = null
  let lastHeight: number | null = null
  let highest: number | null = null
  let retryAfterMs = 0
  let error: string | null = null
  let failures = 0
  let stopped = false
  let cancelPoll = (): void => {}
  let unsubscribe = (): void => {}
  const listeners = new Set<(update: ChainUpdate) => void>()
  const lookListeners = new Set<() => void>()
  let hasProgressed = false
  const walker = createBlockWalker(chain, settings.windowSize, () => {
    hasProgressed = true
    answeredAt = clock.monotonic()
  })
  /** The head of a walk that is in progress or was cut short, and when it began. */
  let unfinished: Block | null = null
  let walkingSince = 0
  const labels = { chain_id: chain.chainId }

  const looks = coalesce(async () => {
    if (stopped) return
    await lookAndNote()
    if (!looks.isWanted()) schedulePoll()
  })

  function look(): Promise<void> {
    return stopped ? Promise.resolve() : looks.run()
  }

  async function lookAndNote(): Promise<void> {
    const askedAt = clock.monotonic()
    hasProgressed = false
    const endWatch = watchSilence(askedAt)
    try {
      await lookOnce()
      answeredAt = clock.monotonic()
      failingSince = null
      error = null
      failures = 0
    } catch (cause) {
      if (!(cause instanceof ChainUnavailable)) throw cause
      failingSince ??= askedAt
      if (error === null) telemetry.log('warn', 'could not follow the chain; retrying', { ...labels, error: cause })
      failures = hasProgressed ? 1 : failures + 1
      retryAfterMs = Math.min(cause.retryAfterMs ?? 0, MAX_WAIT_MS)
      error = cause.message
      // The next look comes after a pause, whatever hints arrived meanwhile.
      looks.drop()
    } finally {
      endWatch()
    }
    for (const listener of lookListeners) listener()
  }

  /**
   * Tells a node that hangs from one that is slow for a single request: whoever answers another question meanwhile is not
   * silent. Checks are counted, so that a process that was frozen first reads what arrived meanwhile.
   */
  function watchSilence(askedAt: number): () => void {
    let heardAt = askedAt
    let checks = 0
    let cancel = (): void => {}
    let isOver = false

    function wait(ms: number): void {
      cancel = clock.schedule(ms, check)
    }

    function check(): void {
      if (hasProgressed) return
      const leftMs = SLOW_LOOK_MS - (clock.monotonic() - heardAt)
      const isSilent = ++checks * CHECK_MS >= SLOW_LOOK_MS && leftMs <= 0
      if (isSilent) noteSilence(heardAt)
      else if (failingSince === null) void askHeight()
      // Silence goes on being noted: what follows from it depends on how long it lasts.
      wait(leftMs > 0 ? Math.min(CHECK_MS, Math.ceil(leftMs)) : CHECK_MS)
    }

    async function askHeight(): Promise<void> {
      try {
        await chain.getHeight()
      } catch (cause) {
        if (!(cause instanceof ChainUnavailable)) throw cause
        return
      }
      if (isOver) return
      heardAt = clock.monotonic()
      checks = 0
    }

    wait(CHECK_MS)
    return () => {
      isOver = true
      cancel()
    }
  }

  function noteSilence(since: number): void {
    failingSince ??= since
    error ??= `no answer for ${SLOW_LOOK_MS / 1_000} s`
    for (const listener of lookListeners) listener()
  }

  async function lookOnce(): Promise<void> {
    if (unfinished !== null) await finish(unfinished)
    const latest = await chain.getBlock('latest')
    if (latest === null) throw new ChainUnavailable('the RPC node has no latest block')
    lastHeight = latest.number
    const tags = settings.wantsTags() ? await chain.getTags() : { safe: null, finalized: null }
    const isKnown = window.some((header) => header.hash === latest.hash)
    if (isKnown && tags.safe === view?.safe && tags.finalized === view.finalized) return
    // If the head is a known block below ours, the node is behind: only a different block in its place is news.
    if (isKnown) announce({ kept: window, added: [], gap: false }, tags)
    else await follow(latest, tags)
  }

  async function finish(target: Block): Promise<void> {
    try {
      await follow(target, { safe: view?.safe ?? null, finalized: view?.finalized ?? null })
    } catch (cause) {
      if (!(cause instanceof BlockMissing)) throw cause
      unfinished = null
    }
  }

  async function follow(target: Block, tags: Tags): Promise<void> {
    if (unfinished !== target) walkingSince = clock.monotonic()
    unfinished = target
    const walk = await walkBack(target)
    unfinished = null
    announce(walk, tags)
  }

  function announce(walk: Walked, tags: Tags): void {
    const before = window
    window = [...walk.kept, ...walk.added.map(toHeader)].slice(-settings.windowSize)
    view = createView(window, tags)
    if (walk.added.length > 0 || headSeenAt === null) headSeenAt = clock.monotonic()
    highest = Math.max(highest ?? 0, view.head.number)
    const forkFrom = findFork(before, walk.kept.length, view)
    telemetry.gauge('drover_head_block', view.head.number, labels)
    const baseFee = walk.added.at(-1)?.room?.baseFeePerGas ?? null
    if (baseFee !== null) telemetry.gauge('drover_base_fee_wei', Number(baseFee), labels)
    if (forkFrom !== null) telemetry.count('drover_reorgs_total', labels)
    if (walk.gap) telemetry.count('drover_gaps_total', { part: 'follower' })
    const update: ChainUpdate = { view, added: walk.added, forkFrom, gap: walk.gap }
    for (const listener of listeners) listener(update)
  }

  async function walkBack(latest: Block): Promise<Walked> {
    const known = new Map<Hash, number>(window.map((header, index) => [header.hash, index]))
    const head = window.at(-1)
    const isNear = head !== undefined && latest.number - head.number <= settings.windowSize
    // After a long absence the walk cannot reach what is known: it restarts, and the audit finds what was missed.
    const depth = isNear ? settings.windowSize : settings.initialDepth
    const { root, blocks } = await walker.walkBack(latest, {
      isKnown: (hash) => known.has(hash),
      isEnough: (count) =>
        count >= depth || (count >= settings.initialDepth && clock.monotonic() - walkingSince > MAX_WALK_MS),
    })
    const rootAt = root === null ? undefined : known.get(root)
    if (rootAt === undefined) return { kept: [], added: blocks, gap: window.length > 0 }
    return { kept: window.slice(0, rootAt + 1), added: blocks, gap: false }
  }

  function schedulePoll(): void {
    cancelPoll()
    if (stopped) return
    const retryMs = backOff(failures, { first: FIRST_RETRY_MS, max: settings.pollIntervalMs * 8 })
    const delay = failures === 0 ? settings.pollIntervalMs : Math.max(retryMs, retryAfterMs)
    cancelPoll = clock.schedule(delay, () => void look())
  }

  return {
    view: () => view,
    lastAnswerAt: () => answeredAt,
    failingSince: () => failingSince,
    lastError: () => error,
    headSeenAt: () => headSeenAt,
    lastHeight: () => lastHeight,
    highest: () => highest,
    onLook: (listener) => {
      lookListeners.add(listener)
      return () => lookListeners.delete(listener)
    },
    start: (known = []) => {
      window = keepLinked(known).slice(-settings.windowSize)
      highest = window.at(-1)?.number ?? null
      unsubscribe = chain.onHeadHint(() => void look())
      void look()
    },
    look,
    onUpdate: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop: async () => {
      stopped = true
      cancelPoll()
      unsubscribe()
      await looks.settled()
    },
  }
}

/** Lowest height of the old window that now has another block, or none. Blocks outside the window prove nothing. */
function findFork(before: readonly Header[], kept: number, view: ChainView): number | null {
  for (const old of before.slice(kept)) {
    const now = view.header(old.number)
    if (now !== null ? now.hash !== old.hash : old.number > view.head.number) return old.number
  }
  return null
}

/** The newest headers that form one chain; headers that do not link to them prove nothing. */
function keepLinked(headers: readonly Header[]): readonly Header[] {
  let start = headers.length - 1
  while (start > 0 && headers[start - 1]?.hash === headers[start]?.parentHash) start--
  return headers.slice(Math.max(0, start))
}

function toHeader({ number, hash, parentHash, timestamp }: Block): Header {
  return { number, hash, parentHash, timestamp }
}

function createView(
  window: readonly Header[],
  tags: { readonly safe: number | null; readonly finalized: number | null },
): ChainView {
  const head = window.at(-1)
  const first = window[0]
  if (head === undefined || first === undefined) throw new Error('a view needs at least one header')
  return { head, ...tags, header: (number) => window[number - first.number] ?? null }
}
