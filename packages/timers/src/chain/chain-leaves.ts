/** The reference chain's state as Merkle leaves: accounts, actors, storage, timers with their indices, and the rest. */
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Hex, uintDigits } from '../kernel/bytes/hex.ts'
import type { LeafChange } from '../kernel/merkle/merkle-trie.ts'
import { listLeafChanges } from '../kernel/merkle/timer-leaves.ts'
import { diffMaps } from '../kernel/tree/ordered-map.ts'
import type { ChainState, Message } from './chain-state.ts'

type Committed = Omit<ChainState, 'trie' | 'stateRoot'>

export function listChainLeafChanges(before: Committed, after: Committed): LeafChange[] {
  const changes = listLeafChanges(before.world.timers, after.world.timers)
  const put = (section: string, name: Hex, value: string | null) => {
    changes.push({
      key: `0x${bytesToHex(utf8ToBytes(section))}${name.slice(2)}`,
      value: value === null ? null : `0x${value}`,
    })
  }
  diffMaps(before.world.accounts, after.world.accounts, (address, _, account) => {
    put('c0', address, account ? `${uintDigits(account.balance, 32)}${uintDigits(account.nonce, 8)}` : null)
  })
  diffMaps(before.world.actors, after.world.actors, (address, _, actor) => {
    put('c1', address, actor ? `${actor.deployer.slice(2)}${bytesToHex(utf8ToBytes(actor.handler))}` : null)
  })
  diffMaps(before.world.storage, after.world.storage, (key, _, value) => put('c2', key, value?.slice(2) ?? null))
  diffMaps(before.world.messages, after.world.messages, (number, _, message) => {
    put('c4', `0x${uintDigits(number, 8)}`, message ? encodeMessage(message) : null)
  })
  put('c3', '0x', encodeRest(after))
  return changes
}

function encodeMessage({ from, to, payload, gasLimit }: Message): string {
  return `${from.slice(2)}${to.slice(2)}${uintDigits(gasLimit, 8)}${payload.slice(2)}`
}

/** What has no leaf of its own, as text with sorted names, so that equal content is equal bytes. */
function encodeRest({ height, basefees, burned, lateKeys, world }: Committed): string {
  const { schedule, messagesSent } = world
  const rest = { height, basefees, burned, lateKeys, messagesSent, schedule }
  const text = JSON.stringify(rest, (_, value: unknown) => {
    if (typeof value === 'bigint') return value.toString()
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
  return bytesToHex(utf8ToBytes(text))
}
