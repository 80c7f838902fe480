/** The caller, and what it may do: scopes say which kinds of calls, the reach says on which lanes. */
import type { Address } from '../hex.ts'
import type { Lane } from '../lane/lane.ts'

/**
 * No scope implies another: a key lists everything it may do. So a key that creates other keys need not be able to
 * send, and the list alone shows what a key can do.
 */
/** `priority` is the right to go first, among a signer's transactions or a chain's timers. No route needs it. */
/** `approve`: the right to release transactions that wait for approval. Rules name the keys that may. */
export const SCOPES = ['read', 'send', 'operate', 'admin', 'priority', 'approve'] as const
export type Scope = (typeof SCOPES)[number]

/** The lanes that a caller may see and use. Null: all of them. */
export interface Reach {
  readonly signers: readonly Address[] | null
  readonly chains: readonly number[] | null
}

export const ALL_LANES: Reach = { signers: null, chains: null }

/** Items per second over time, and how many may come at once. Each node counts for itself. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

export interface Caller extends Reach {
  /** Null if the service has no keys and only this machine can call it. */
  readonly keyId: string | null
  /** The owner of the key: outlives the key. Null: the service is open, and the caller is its only tenant. */
  readonly tenant: string | null
  /** Null: no limit. */
  readonly rate: Rate | null
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The most that each transaction it sends may cost in fees; null: no limit of its own. */
  readonly maxTxFeeWei: bigint | null
}

/** What a caller gets whose key ended after its request arrived. */
export const NO_LONGER_ALLOWED = 'Your API key was revoked or has expired.'

/** The reason to give when work is aborted. Made once: without a reason, each abort makes an error with a stack. */
export const CALLER_GONE = new Error('the caller has gone')

/** Any caller of a service without keys: it listens on this machine only. */
export const LOCAL_CALLER: Caller = {
  keyId: null,
  tenant: null,
  name: 'local',
  scopes: SCOPES,
  rate: null,
  maxTxFeeWei: null,
  ...ALL_LANES,
}

export function hasScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): boolean {
  return scopes.includes(scope)
}

export function mayUse({ signers, chains }: Reach, { chainId, signer }: Lane): boolean {
  return (signers === null || signers.includes(signer)) && mayUseChain({ chains }, chainId)
}

export function mayUseChain({ chains }: Pick<Reach, 'chains'>, chainId: number): boolean {
  return chains === null || chains.includes(chainId)
}

export function reachesAll({ signers, chains }: Reach): boolean {
  return signers === null && chains === null
}

const ACTOR = /\(([0-9a-f]{16})\)$/

/** The key of a caller, from how the history names it; null: none. */
export function keyIdOfActor(actor: string): string | null {
  return ACTOR.exec(actor)?.[1] ?? null
}

/** How the history names callers: by the key's name, which people know, and its id, which is unique. */
export function actorOf({ keyId, name }: Pick<Caller, 'keyId' | 'name'>): string {
  return keyId === null ? name : `${name} (${keyId})`
}
