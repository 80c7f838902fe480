/**
 * All key sources of a node as one signer. If a source cannot sign, the ring stops asking it: signing fails at once, so
 * that lanes go on with everything else, and the ring looks until the source responds again. A source that refuses one
 * key is asked for its other keys as before. Sources are also looked at from time to time, for keys that were added or
 * removed.
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
  canSign(address: Address): boolean
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

interface Problem {
  readonly message: string
  readonly since: number
}

interface Entry {
  readonly source: KeySource
  problem: Problem | null
  /** The problem concerns some keys; the source responds. */
  isPartial: boolean
  /** Keys that it did not sign with, until when that is reported, and why. */
  readonly refused: Map<Address, Problem & { readonly until: number }>
  /** It failed to sign, and has not responded since. */
  cannotSign: boolean
  failures: number
  cancelLook: () => void
  readonly look: () => Promise<void>
}

const LOOK_EVERY_MS = 10_000
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 5_000
/** Lanes try again more often than this. */
const REFUSAL_MS = 2 * 60_000

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
        (error: unknown) => setProblem(entry, describe(error), error instanceof KeyStoreAway && error.isOneKey),
      )
      schedule(entry)
    })
    const entry: Entry = {
      source,
      problem: null,
      isPartial: false,
      refused: new Map(),
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

  function setProblem(entry: Entry, message: string | null, isPartial = false): void {
    const { source, problem } = entry
    const fields = { source: source.type, place: source.place }
    const wasAway = problem !== null && !entry.isPartial
    entry.isPartial = isPartial
    if (message === null) {
      entry.problem = null
      entry.failures = 0
    } else {
      entry.failures++
      entry.problem = { message, since: problem?.since ?? clock.now() }
      if (problem?.message !== message)
        telemetry.log('warn', `key store problem: ${message}`, { ...fields, error: message })
    }
    if (message === null || isPartial) {
      entry.cannotSign = false
      if (wasAway) {
        telemetry.log('info', 'the key store responds again', fields)
        tell()
      }
    }
    telemetry.gauge('drover_key_store_up', entry.problem === null ? 1 : 0, { source: source.type })
  }

  function refuse(entry: Entry, address: Address, message: string): void {
    const known = entry.refused.get(address)
    const now = clock.now()
    entry.refused.set(address, { message, since: known?.since ?? now, until: now + REFUSAL_MS })
    if (known?.message !== message)
      telemetry.log('warn', `key problem: ${message}`, { source: entry.source.type, signer: address, error: message })
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
      entry.refused.delete(address)
      return signed
    } catch (error) {
      telemetry.count('drover_signatures_total', { source: source.type, result: 'failed' })
      if (!(error instanceof KeyStoreAway)) throw error
      if (error.isOneKey) {
        refuse(entry, address, error.message)
        throw error
      }
      // Of several that were asked for at the same time, the first to fail counts.
      if (!entry.cannotSign) {
        entry.cannotSign = true
        setProblem(entry, error.message)
        schedule(entry)
      }
      throw error
    }
  }

  function stateOf(address: Address, { source, problem, isPartial, cannotSign, refused }: Entry): KeyState {
    const isAway = cannotSign || (!source.isInMemory && !isPartial)
    const refusal = refused.get(address)
    const own = refusal !== undefined && refusal.until > clock.now() ? refusal : null
    const found = (isAway ? problem : null) ?? own
    const shown = found && { message: found.message, since: found.since }
    return { source: source.type, place: source.place, problem: shown }
  }

  function find(address: Address): KeyState | null {
    const entry = owners.get(address)
    return entry === undefined ? null : stateOf(address, entry)
  }

  return {
    addresses: () => [...owners.keys()],
    canSign: (address) => find(address)?.problem === null,
    sign,
    find,
    sources: () =>
      entries.map(({ source, problem }) => ({
        source: source.type,
        place: source.place,
        problem,
        keys: source.addresses().length,
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
