/**
 * The health of a chain, as one node sees it. Drover names it before it blames any transaction: on a chain that makes
 * no blocks nothing can be mined, whatever it pays.
 *
 * A chain that makes blocks only on demand is quiet while there is no demand. So a chain counts as halted only while
 * something waits to be mined, and has waited for as long.
 */

import { spellDuration, spellTime } from '../explain/spell-time.ts'
import type { ChainView } from './finality.ts'

export const CHAIN_STATES = ['starting', 'ok', 'standing', 'rewound', 'unreachable'] as const
export type ChainState = (typeof CHAIN_STATES)[number]

/** The state as people say it; its code is part of the API. */
export function nameChainState(state: ChainState): string {
  return state === 'standing' ? 'stalled' : state
}

export interface ChainHealth {
  readonly state: ChainState
  /** Since when, in milliseconds since the epoch; null if that means nothing. */
  readonly since: number | null
  /** What is wrong, for people; null if nothing is. */
  readonly message: string | null
  /** If it is `rewound`: the height that the nodes report, which may be below the head that was followed. */
  readonly height?: number
}

/** What was seen of a chain; all times in milliseconds since the epoch. */
export interface ChainSigns {
  readonly now: number
  /** Hosts of its RPC nodes. */
  readonly hosts: readonly string[]
  /** When something useful last arrived, and since when reading has failed; null: never, or not failing. */
  readonly answeredAt: number | null
  readonly failingSince: number | null
  readonly lastError: string | null
  /** When the newest block was first seen; null until one was. */
  readonly headSeenAt: number | null
  /** The height that the nodes report now, the highest ever followed, and since when they are far below it. */
  readonly height: number | null
  readonly highest: number | null
  readonly belowSince: number | null
  /** Since when something waits to be mined; null if nothing does. */
  readonly waitingSince: number | null
}

export interface HealthLimits {
  /** Reading has failed for this long, or nothing has arrived for `quietAfterMs`. */
  readonly unreachableAfterMs: number
  readonly quietAfterMs: number
  readonly standingAfterMs: number
  readonly rewoundAfterMs: number
}

export function assessChain(signs: ChainSigns, limits: HealthLimits): ChainHealth {
  return (
    findUnreachable(signs, limits) ??
    findRewound(signs, limits) ??
    findStanding(signs, limits) ??
    (signs.headSeenAt === null
      ? { state: 'starting', since: null, message: 'No block has been read yet.' }
      : { state: 'ok', since: null, message: null })
  )
}

/** Whether blocks are coming, so that time without an inclusion says something about a transaction. */
export function isMoving({ state }: ChainHealth): boolean {
  return state === 'ok' || state === 'starting'
}

function findUnreachable(signs: ChainSigns, limits: HealthLimits): ChainHealth | null {
  const { now, answeredAt, failingSince, hosts, lastError } = signs
  const since = Math.max(answeredAt ?? 0, failingSince ?? 0)
  const isFailing = failingSince !== null && now - since >= limits.unreachableAfterMs
  const isQuiet = answeredAt !== null && now - answeredAt >= limits.quietAfterMs
  if (!isFailing && !isQuiet) return null
  const silent = answeredAt ?? since
  const who =
    hosts.length === 1
      ? `RPC node ${hosts[0]} has not responded since ${spellTime(silent)}`
      : `None of the RPC nodes (${hosts.join(', ')}) has responded since ${spellTime(silent)}`
  const why = lastError === null ? '' : ` (${lastError})`
  return { state: 'unreachable', since: silent, message: `${who}${why}.` }
}

function findRewound({ now, height, highest, belowSince }: ChainSigns, limits: HealthLimits): ChainHealth | null {
  if (belowSince === null || now - belowSince < limits.rewoundAfterMs) return null
  const message = `The chain went back from block ${highest} to block ${height} and has not recovered for ${spellDuration(now - belowSince)}.`
  return { state: 'rewound', since: belowSince, message, ...(height !== null && { height }) }
}

function findStanding({ now, headSeenAt, waitingSince }: ChainSigns, limits: HealthLimits): ChainHealth | null {
  if (headSeenAt === null || waitingSince === null) return null
  if (now - Math.max(headSeenAt, waitingSince) < limits.standingAfterMs) return null
  const message = `The chain has made no block for ${spellDuration(now - headSeenAt)}; nothing can be mined.`
  return { state: 'standing', since: headSeenAt, message }
}

const MIN_INTERVALS = 8
const MAX_INTERVALS = 32

/** The usual time between two blocks, by their own timestamps; null if too few are known. */
export function observeBlockTime({ head, header }: ChainView): number | null {
  const intervals: number[] = []
  for (let number = head.number; intervals.length < MAX_INTERVALS; number--) {
    const [above, below] = [header(number), header(number - 1)]
    if (above === null || below === null) break
    intervals.push((above.timestamp - below.timestamp) * 1_000)
  }
  if (intervals.length < MIN_INTERVALS) return null
  return intervals.sort((a, b) => a - b)[Math.floor(intervals.length / 2)] ?? null
}

const STANDING_BLOCKS = 10
const STANDING_FLOOR_MS = 30_000

/** Several missed blocks in a row happen on healthy chains; ten do not. */
export function standingAfter(blockTimeMs: number): number {
  return Math.max(STANDING_FLOOR_MS, blockTimeMs * STANDING_BLOCKS)
}
