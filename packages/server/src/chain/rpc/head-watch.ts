/**
 * The heads of all nodes of a chain, compared. Each poll asks the node in use, and the others at most once a second; with
 * many of them, a few at a time. A node that is too far behind the newest plausible block in two answers in a row is
 * lagging, until it has caught up in two. A height that stands out is believed only if its node can show the block.
 */
import { ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import { parseBlock, parseCount } from '../rpc-values.ts'
import type { Endpoint, HeightVerdict } from './endpoint.ts'
import { type ClaimStatus, type HeightReading, judgeHeights } from './judge-heights.ts'
import type { RpcReply } from './read-reply.ts'

export interface HeadWatch {
  /**
   * The newest plausible height, as soon as one of the nodes that are due has answered; if none is due, as it was last known.
   * Throws ChainUnavailable if none answers.
   */
  poll(): Promise<number>
  /** The same for those who want to know whether any node answers now: never without an answer to a request. */
  ask(): Promise<number>
}

interface HeadWatchOptions {
  readonly endpoints: readonly Endpoint[]
  /** The node that reads go to now; null if no node can be used. */
  inUse(): Endpoint | null
  readonly pollIntervalMs: number
  readonly blockTimeMs: number
  readonly clock: Clock
}

interface Watched {
  readonly endpoint: Endpoint
  height: number | null
  seenAt: number
  askedAt: number
  answeredAt: number
  asking: Promise<void> | null
  showing: Promise<void> | null
  /** Answers in a row that were too far behind, or near enough again. */
  streak: number
  verdict: HeightVerdict
  /** Times in a row that it could not show the block that it reported. */
  misses: number
  claim: { readonly status: ClaimStatus; readonly height: number; readonly at: number } | null
}

const MIN_BLOCKS = 3
const TOLERATED_MS = 5_000
const CAUGHT_UP_BLOCKS = 1
const STREAK = 2
const ASIDE_INTERVAL_MS = 1_000
const ASIDE_AT_ONCE = 4
const FRESH_MS = 15_000
const CLAIM_LASTS_MS = 30_000
/** Of what a node allows, the comparison of heads takes no more than a tenth. */
const CALLS_PER_HEAD = 10
const NO_ANSWER = 'no RPC node responds to eth_blockNumber'

export function createHeadWatch({ endpoints, inUse, pollIntervalMs, blockTimeMs, clock }: HeadWatchOptions): HeadWatch {
  const tolerance = Math.max(MIN_BLOCKS, Math.ceil(TOLERATED_MS / blockTimeMs))
  const freshMs = Math.max(FRESH_MS, 4 * pollIntervalMs)
  const watched = endpoints.map((endpoint): Watched => {
    const never = Number.NEGATIVE_INFINITY
    return {
      endpoint,
      height: null,
      seenAt: 0,
      askedAt: never,
      answeredAt: never,
      asking: null,
      showing: null,
      streak: 0,
      verdict: 'in_step',
      misses: 0,
      claim: null,
    }
  })

  /** Of nodes that answer, and answer for this chain. */
  function listFresh(): readonly (Watched & { readonly height: number })[] {
    const oldest = clock.monotonic() - freshMs
    return watched.filter((one): one is Watched & { readonly height: number } => {
      const state = one.endpoint.state()
      return one.height !== null && one.answeredAt >= oldest && state !== 'failing' && state !== 'wrong_chain'
    })
  }

  function claimOf({ claim, height }: Watched): ClaimStatus {
    if (claim === null || clock.monotonic() - claim.at > CLAIM_LASTS_MS) return 'unknown'
    // What was shown speaks for what grew out of it; what could not be shown speaks only against itself and more.
    const isSame =
      claim.status === 'refuted' ? (height ?? 0) >= claim.height : Math.abs((height ?? 0) - claim.height) < 1_000
    return isSame ? claim.status : 'unknown'
  }

  async function ask(one: Watched): Promise<void> {
    one.askedAt = clock.monotonic()
    const [reply] = await one.endpoint.send([{ method: 'eth_blockNumber', params: [] }], 'read')
    const height = readHeight(one.endpoint, reply)
    if (height !== one.height) one.seenAt = clock.now()
    one.height = height
    one.answeredAt = clock.monotonic()
    // Not awaited: checking the claim of one node must not delay another one's answer.
    void compare(one)
  }

  /** What this answer says about the node that gave it. */
  async function compare(one: Watched): Promise<void> {
    const fresh = listFresh()
    const readings = (): readonly HeightReading[] =>
      fresh.map((each) => ({ height: each.height, claim: claimOf(each) }))
    const first = judgeHeights(readings(), tolerance)
    const claimant = first?.toShow === null || first === null ? undefined : fresh[first.toShow]
    if (claimant !== undefined) await lookIntoOnce(claimant, claimant.height)
    const judgement = judgeHeights(readings(), tolerance)
    if (judgement !== null && one.height !== null) settle(one, one.height, judgement.plausible)
    for (const other of fresh)
      if (claimOf(other) === 'refuted') settle(other, other.height, judgement?.plausible ?? other.height)
  }

  function lookIntoOnce(one: Watched, height: number): Promise<void> {
    one.showing ??= lookInto(one, height).finally(() => {
      one.showing = null
    })
    return one.showing
  }

  async function lookInto(one: Watched, height: number): Promise<void> {
    const status = await show(one.endpoint, height)
    // Behind one URL there may be machines that are not in step: once is not enough to call it a lie.
    one.misses = status === 'refuted' ? one.misses + 1 : 0
    if (status === 'shown' || one.misses >= STREAK) one.claim = { status, height, at: clock.monotonic() }
  }

  function settle(one: Watched, height: number, plausible: number): void {
    const lagBlocks = Math.max(0, plausible - height)
    const isOff = one.verdict === 'lagging' ? lagBlocks > CAUGHT_UP_BLOCKS : lagBlocks > tolerance
    one.streak = isOff === (one.verdict === 'lagging') ? 0 : one.streak + 1
    if (claimOf(one) === 'refuted' && listFresh().length > 1) one.verdict = 'implausible'
    else if (one.verdict === 'implausible') one.verdict = 'in_step'
    else if (one.streak >= STREAK) {
      one.verdict = isOff ? 'lagging' : 'in_step'
      one.streak = 0
    }
    one.endpoint.noteHead({ number: height, seenAt: one.seenAt, lagBlocks }, one.verdict)
  }

  function askOnce(one: Watched): Promise<void> {
    one.asking ??= ask(one).finally(() => {
      one.asking = null
    })
    return one.asking
  }

  /** The node in use every time, those aside less often; none more often than its rate bears. */
  function listDue(): readonly Watched[] {
    const now = clock.monotonic()
    const used = inUse()
    const paced = watched.filter(({ endpoint, askedAt }) => {
      const allowed = endpoint.callsPerSecond()
      const pace = allowed === null ? 0 : (CALLS_PER_HEAD / allowed) * 1_000
      const interval = Math.max(pace, endpoint === used ? 0 : ASIDE_INTERVAL_MS)
      return endpoint.waitMs() === 0 && now - askedAt >= interval
    })
    const aside = paced.filter(({ endpoint }) => endpoint !== used).sort((a, b) => a.askedAt - b.askedAt)
    const main = paced.filter(({ endpoint }) => endpoint === used)
    return [...main, ...aside.slice(0, ASIDE_AT_ONCE)]
  }

  function findUsed(): readonly Watched[] {
    const used = inUse()
    return watched.filter(({ endpoint }) => endpoint === used)
  }

  function findHeight(): number {
    const judgement = judgeHeights(
      listFresh().map((each) => ({ height: each.height, claim: claimOf(each) })),
      tolerance,
    )
    if (judgement === null) throw new ChainUnavailable(NO_ANSWER)
    return judgement.plausible
  }

  return {
    async poll() {
      const due = listDue()
      // Where nothing is due, a node that rests is tried all the same: the last one is never given up.
      const asked = due.length > 0 ? due : findUsed().filter(({ endpoint }) => endpoint.waitMs() > 0)
      if (asked.length > 0) await answerOfAny(asked.map(askOnce))
      return findHeight()
    },
    async ask() {
      // The node in use is asked whatever its pace: whoever asks doubts that it is there. A request that is under way is not
      // repeated, and this one puts off the next poll, so a node with a low limit gets few more.
      const asked = new Set([...findUsed(), ...listDue(), ...watched.filter(({ asking }) => asking !== null)])
      if (asked.size === 0) throw new ChainUnavailable(NO_ANSWER)
      await answerOfAny([...asked].map(askOnce))
      return findHeight()
    },
  }
}

/** Whether a node can show the block that it claims to have, with its parent. */
async function show(endpoint: Endpoint, height: number): Promise<ClaimStatus> {
  const number = `0x${height.toString(16)}`
  const [reply] = await endpoint.send([{ method: 'eth_getBlockByNumber', params: [number, false] }], 'read')
  if (reply?.type !== 'result') return 'unknown'
  try {
    const block = parseBlock(reply.result)
    if (block.number !== height) return 'refuted'
    const [parent] = await endpoint.send([{ method: 'eth_getBlockByHash', params: [block.parentHash, false] }], 'read')
    if (parent?.type !== 'result') return 'unknown'
    return parseBlock(parent.result).number === height - 1 ? 'shown' : 'refuted'
  } catch {
    // Null, or no block at all: there is nothing behind the number.
    return 'refuted'
  }
}

function readHeight(endpoint: Endpoint, reply: RpcReply | undefined): number {
  const height = reply?.type === 'result' ? parseCount(reply.result) : null
  if (height !== null) return height
  if (reply?.type === 'result') endpoint.noteGarbage('eth_blockNumber: the height is not a number')
  throw new ChainUnavailable(`${endpoint.name}: ${describe(reply)}`)
}

function describe(reply: RpcReply | undefined): string {
  if (reply?.type === 'error') return reply.error.message.slice(0, 300)
  return reply === undefined || reply.type === 'result' ? 'no height' : reply.message
}

async function answerOfAny(asked: readonly Promise<void>[]): Promise<void> {
  try {
    await Promise.any(asked)
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error
  }
}
