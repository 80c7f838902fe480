/**
 * What a signer, or an API key, may spend. A rule set binds one subject. A transaction is bound by the set of its signer
 * and by the set of the key that sent it, and must pass both.
 *
 * Amounts are counted for each chain separately, since each has a currency of its own.
 */
import type { Address, Hex } from '../hex.ts'

/** `signer:0x…` or `key:…`. */
export type SubjectId = `signer:${Address}` | `key:${string}`

/** `report`: nothing is refused, but what would be refused is logged, counted and audited. */
export const RULE_MODES = ['enforce', 'report'] as const
export type RuleMode = (typeof RULE_MODES)[number]

/** Null: no limit. Amounts in the smallest unit. */
export interface Caps {
  readonly perTransaction: bigint | null
  readonly perHour: bigint | null
  readonly perDay: bigint | null
}

export interface Target {
  readonly to: Address
  /** The first four bytes of the data; `0x` is a transfer without data. Null: anything. */
  readonly selectors: readonly Hex[] | null
  /** Null: on any chain. */
  readonly chainId: number | null
}

/** Amounts of `transfer`, `approve`, `transferFrom` and what has the same effect. */
export interface TokenCaps extends Caps {
  readonly token: Address
  /** Null: the same address on any chain, counted for each. */
  readonly chainId: number | null
  /** Above this, the transaction needs approval. */
  readonly approvalAbove: bigint | null
}

export interface CountCaps {
  readonly perHour: bigint | null
  readonly perDay: bigint | null
}

/** Transactions above a value wait until this many of these keys approve. */
export interface ApprovalRule {
  /** In wei. */
  readonly above: bigint
  readonly of: number
  /** Names or ids of API keys. */
  readonly keys: readonly string[]
  readonly expiresInMs: number
}

export interface RuleSet {
  readonly mode: RuleMode
  /** Null: any. */
  readonly chains: readonly number[] | null
  /** Null: any. */
  readonly targets: readonly Target[] | null
  /** Null: allowed, unless targets are listed. */
  readonly contractCreation: boolean | null
  /** Native currency sent along. */
  readonly value: Caps | null
  /** Fees: the most that it can cost, until its receipt says what it did cost. */
  readonly gas: Caps | null
  readonly tokens: readonly TokenCaps[]
  readonly count: CountCaps | null
  readonly approval: ApprovalRule | null
}

export const NO_RULES: RuleSet = {
  mode: 'enforce',
  chains: null,
  targets: null,
  contractCreation: null,
  value: null,
  gas: null,
  tokens: [],
  count: null,
  approval: null,
}

export function signerSubject(signer: Address): SubjectId {
  return `signer:${signer}`
}

export function keySubject(keyId: string): SubjectId {
  return `key:${keyId}`
}

/** Those whose rules bind a transaction. */
export function subjectsOf(signer: Address, keyId: string | null | undefined): readonly SubjectId[] {
  return keyId ? [signerSubject(signer), keySubject(keyId)] : [signerSubject(signer)]
}

/** For people: `signer 0x…`, `API key 0123…`. */
export function spellSubject(subject: SubjectId): string {
  const [kind, ...rest] = subject.split(':')
  return `${kind === 'key' ? 'API key' : 'signer'} ${rest.join(':')}`
}
