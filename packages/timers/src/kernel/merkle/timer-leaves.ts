/** The kernel's share of a chain's state root: timers, both indices and all else that decides a later delivery. */
import { byteLength, getExactHex, type Hex, uintDigits } from '../bytes/hex.ts'
import { encodeTimer } from '../snapshot/timer-record.ts'
import { createTimerState, type TimerState } from '../state/timer-state.ts'
import { diffMaps, OrderedMap } from '../tree/ordered-map.ts'
import { type LeafChange, MerkleTrie } from './merkle-trie.ts'

/** Leaf names start with one of these, so that no two sections can collide. */
const SECTION = {
  record: 't0',
  height: 't1',
  watch: 't2',
  cursor: 't3',
  counter: 't4',
  nonce: 't5',
  tombstone: 't6',
  isolated: 't7',
  target: 't8',
  scalars: 't9',
  carried: 'ta',
} as const

/** What changed between two states, as leaves; it costs what changed. */
export function listLeafChanges(before: TimerState, after: TimerState): LeafChange[] {
  const changes: LeafChange[] = []
  const put = (section: keyof typeof SECTION, name: string, value: string | null) => {
    changes.push({ key: leafKey(SECTION[section], name), value: value === null ? null : `0x${value}` })
  }
  diffMaps(before.timers, after.timers, (id, _, timer) => put('record', id.slice(2), timer ? encodeTimer(timer) : null))
  diffMaps(before.indexHeight, after.indexHeight, (timer, _, kept) => {
    put(
      'height',
      `${uintDigits(timer.dueHeight, 8)}${timer.target.slice(2)}${timer.timerId.slice(2)}`,
      kept ? '01' : null,
    )
  })
  listWatchChanges(before, after, (prefix, id, target) => {
    const name = `${uintDigits(byteLength(prefix), 1)}${prefix.slice(2)}${id.slice(2)}`
    put('watch', name, target?.slice(2) ?? null)
  })
  diffMaps(before.cursors, after.cursors, (target, _, at) =>
    put('cursor', target.slice(2), at === undefined ? null : uintDigits(at, 12)),
  )
  diffMaps(before.owners, after.owners, (owner, was, is) => {
    const counter = is?.counter ?? 0n
    if (counter !== (was?.counter ?? 0n)) put('counter', owner.slice(2), counter === 0n ? null : uintDigits(counter, 9))
  })
  diffMaps(before.nonces, after.nonces, (id, _, spent) => {
    put('nonce', id.slice(2), spent === undefined ? null : spent === null ? '00' : `01${spent.slice(2)}`)
  })
  diffMaps(before.tombstones, after.tombstones, (id, _, stone) => {
    put(
      'tombstone',
      id.slice(2),
      stone ? `${stone.owner.slice(2)}${stone.target.slice(2)}${uintDigits(stone.height, 8)}` : null,
    )
  })
  diffMaps(before.isolated, after.isolated, (id, _, at) => put('isolated', id.slice(2), heightDigits(at)))
  if (before.targets !== null && after.targets !== null) {
    diffMaps(before.targets, after.targets, (target, _, known) =>
      put('target', target.slice(2), known === null ? '01' : null),
    )
  }
  diffMaps(before.carriedSince, after.carriedSince, (key, _, at) => put('carried', key.slice(2), heightDigits(at)))
  put('scalars', '', encodeScalars(after))
  return changes
}

/** The root of a state by itself, for hosts that keep no other state. */
export function timersRoot(state: TimerState): Hex {
  const blank = createTimerState({ chainId: state.chainId, targets: state.targets === null ? 'any' : 'known' })
  return new MerkleTrie().apply(listLeafChanges(blank, state)).rootHash
}

function encodeScalars({ chainId, height, nextRank }: TimerState): string {
  return `${uintDigits(chainId, 8)}${uintDigits(height, 8)}${uintDigits(nextRank, 9)}`
}

function heightDigits(at: bigint | undefined): string | null {
  return at === undefined ? null : uintDigits(at, 8)
}

/** The key of a timer's record among the leaves. */
export function recordKey(timerId: Hex): Hex {
  return leafKey(SECTION.record, getExactHex(timerId, 32, 'timerId').slice(2))
}

function leafKey(section: string, name: string): Hex {
  const tag = [...section].map((letter) => uintDigits(letter.charCodeAt(0), 1)).join('')
  return `0x${tag}${name}`
}

function listWatchChanges(
  before: TimerState,
  after: TimerState,
  report: (prefix: Hex, timerId: Hex, target: Hex | undefined) => void,
): void {
  diffMaps(before.indexWatch, after.indexWatch, (prefix, was, is) => {
    diffMaps(was ?? emptyLike(is), is ?? emptyLike(was), ({ timerId, target }, _, kept) => {
      report(prefix, timerId, kept === undefined ? undefined : target)
    })
  })
}

function emptyLike<K, V>(map: OrderedMap<K, V> | undefined): OrderedMap<K, V> {
  return new OrderedMap<K, V>(map?.compare ?? (() => 0))
}
