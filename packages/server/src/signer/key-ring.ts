/**
 * All key sources of a node as one signer. If a source cannot sign, the ring stops asking it: signing fails at once, so
 * that lanes go on with everything else, and the ring looks until the source responds again. Sources are also looked at
 * from time to time, for keys that were added or removed.
 */
import { backOff } from '../core/back-off.ts'
import { coalesce } from '../core/coalesced-task.ts'
import type { Address } from '../core/hex.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeyCheck, KeySource, KeySourceState, KeySourceType, KeyState } from '../ports/key-source.ts'
import { KeyStoreAway, type Signer } from '../ports/signer.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { checkKey } from './check-key.ts'

export interface KeyRing extends Signer {
  /** Null: this node does not have the key. */
  find(address: Address): KeyState | null
  sources(): readonly KeySourceState[]
  /** Signs a challenge that can never be a transaction, and recovers the address. */
  check(address: Address, chainId: number): Promise<KeyCheck>
  /** Looks at the sources of a type now. */
  lookAgain(type: KeySourceType): Promise<void>
  /** Calls back when there are other addresses, or when a source responds again. */
  onChange(listener: () => void): () => void
  /** Sources that know no key yet, such as services, are asked for theirs. */
  firstLook(): Promise<void>
  start(): void
  close(): Promise<void>
}

interface RingPorts {
  readonly clock: Clock
  readonly telemetry: Telemetry
}

interface Entry {
  readonly source: KeySource
  problem: { readonly message: string; readonly since: number } | null
  /** It failed to sign, and has not responded since. */
  cannotSign: boolean
  failures: number
  cancelLook: () => void
  readonly look: () => Promise<void>
}

const LOOK_EVERY_MS = 10_000
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 5_000

export function createKeyRing(sources: readonly KeySource[], { clock, telemetry }: RingPorts): KeyRing {
  const entries = sources.map(createEntry)
  const listeners = new Set<() => void>()
  /** By address, from memory: asked for with every signature. */
  let owners = findOwners()
  let isStarted = false
  let isClosed = false

  function createEntry(source: KeySource): Entry {
    const looks = coalesce(async () => {
      if (isClosed) return
      entry.cancelLook()
      await source.look().then(
        () => setProblem(entry, null),
        (error: unknown) => setProblem(entry, describe(error)),
      )
      schedule(entry)
    })
    const entry: Entry = {
      source,
      problem: null,
      cannotSign: false,
      failures: 0,
      cancelLook: () => {},
      look: looks.run,
    }
    source.onChange(tell)
    return entry
  }

  function schedule(entry: Entry): void {
    if (isClosed || !isStarted) return
    entry.cancelLook()
    const { problem, failures } = entry
    const delayMs = problem === null ? LOOK_EVERY_MS : backOff(failures, { first: FIRST_RETRY_MS, max: MAX_RETRY_MS })
    entry.cancelLook = clock.schedule(delayMs, () => void entry.look())
  }

  function setProblem(entry: Entry, message: string | null): void {
    const { source, problem } = entry
    const fields = { source: source.type, place: source.place }
    if (message === null) {
      const wasAway = problem !== null
      entry.problem = null
      entry.cannotSign = false
      entry.failures = 0
      if (wasAway) {
        telemetry.log('info', 'the key store responds again', fields)
        tell()
      }
    } else {
      entry.failures++
      entry.problem = { message, since: problem?.since ?? clock.now() }
      if (problem?.message !== message)
        telemetry.log('warn', `key store problem: ${message}`, { ...fields, error: message })
    }
    telemetry.gauge('drover_key_store_up', entry.problem === null ? 1 : 0, { source: source.type })
  }

  /** If two sources have the same key, the first one signs. */
  function findOwners(): ReadonlyMap<Address, Entry> {
    const found = new Map<Address, Entry>()
    for (const entry of entries)
      for (const address of entry.source.addresses()) if (!found.has(address)) found.set(address, entry)
    return found
  }

  function tell(): void {
    owners = findOwners()
    for (const listener of listeners) listener()
  }

  const sign: KeyRing['sign'] = async (address, transaction) => {
    const entry = owners.get(address)
    if (entry === undefined) throw new KeyStoreAway(`this node no longer has the key of ${address}`)
    const { source } = entry
    if (entry.cannotSign) throw new KeyStoreAway(entry.problem?.message ?? 'the key store does not respond')
    try {
      const signed = await source.sign(address, transaction)
      telemetry.count('drover_signatures_total', { source: source.type, result: 'signed' })
      return signed
    } catch (error) {
      telemetry.count('drover_signatures_total', { source: source.type, result: 'failed' })
      if (!(error instanceof KeyStoreAway)) throw error
      entry.cannotSign = true
      setProblem(entry, error.message)
      schedule(entry)
      throw error
    }
  }

  function stateOf({ source, problem, cannotSign }: Entry): KeyState {
    const isAway = cannotSign || !source.isInMemory
    return { source: source.type, place: source.place, problem: isAway ? problem : null }
  }

  return {
    addresses: () => [...owners.keys()],
    sign,
    find: (address) => {
      const entry = owners.get(address)
      return entry === undefined ? null : stateOf(entry)
    },
    sources: () =>
      entries.map((entry) => ({
        ...stateOf(entry),
        problem: entry.problem,
        keys: entry.source.addresses().length,
      })),
    check: (address, chainId) => checkKey({ sign }, address, chainId, clock),
    lookAgain: async (type) => {
      await Promise.all(entries.filter(({ source }) => source.type === type).map(({ look }) => look()))
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    firstLook: async () => {
      await Promise.all(entries.filter(({ source }) => source.addresses().length === 0).map(({ look }) => look()))
    },
    start: () => {
      isStarted = true
      for (const entry of entries) void entry.look()
    },
    close: async () => {
      isClosed = true
      listeners.clear()
      for (const { cancelLook } of entries) cancelLook()
      await Promise.all(entries.map(({ source }) => source.close()))
    },
  }
}

/** Only a KeyStoreAway is written for people; anything else may quote what it was called with. */
function describe(error: unknown): string {
  return error instanceof KeyStoreAway ? error.message : 'it cannot be looked at'
}
