/** The parts of a transaction that are kept as JSON because nothing looks them up: amounts in them are decimal text. */

import type { Inclusion } from '../../core/chain/finality.ts'
import type { Fees, WantedFees } from '../../core/fees/fees.ts'
import type { Hash, Hex } from '../../core/hex.ts'
import { type MayReplace, type Policy, readMayReplace, STABLE } from '../../core/lane/policy.ts'
import type { Attempt, AttemptKind } from '../../core/transaction/transaction.ts'

/** A value as `toJson` leaves it: every bigint is text. */
export type Stored<T> = T extends bigint
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [Key in keyof T]: Stored<T[Key]> }

function readFees(fees: Stored<Fees>): Fees {
  return fees.type === 'eip1559'
    ? {
        type: fees.type,
        maxFeePerGas: BigInt(fees.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas),
      }
    : { type: fees.type, gasPrice: BigInt(fees.gasPrice) }
}

export function readWantedFees(fees: Stored<WantedFees>): WantedFees {
  return fees.type === 'eip1559'
    ? {
        type: fees.type,
        maxFeePerGas: readWei(fees.maxFeePerGas),
        maxPriorityFeePerGas: readWei(fees.maxPriorityFeePerGas),
      }
    : { type: fees.type, gasPrice: readWei(fees.gasPrice) }
}

export function readInclusion(inclusion: Stored<Inclusion>): Inclusion {
  return {
    ...inclusion,
    gasUsed: BigInt(inclusion.gasUsed),
    effectiveGasPrice: BigInt(inclusion.effectiveGasPrice),
  }
}

/** As it is stored now, or as it was before `mayReplace` had an option between yes and no. */
export type StoredPolicy = Omit<Stored<Policy>, 'mayReplace'> & { readonly mayReplace: MayReplace | boolean }

export function readPolicy(policy: StoredPolicy): Policy {
  return {
    ...policy,
    mayReplace: readMayReplace(policy.mayReplace),
    maxFeePerGasWei: readWei(policy.maxFeePerGasWei),
    // Policies stored before this limit existed have none.
    maxTxFeeWei: readWei(policy.maxTxFeeWei ?? null),
    lowBalanceWei: readWei(policy.lowBalanceWei),
    // Policies stored before this warning existed get the default.
    lowRunway: policy.lowRunway === undefined ? STABLE.lowRunway : policy.lowRunway,
  }
}

function readWei(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}

/** Attempts come as one JSON array per transaction, each as an array in the order of `ATTEMPT_FIELDS`. */
export type StoredAttempt = readonly [string, string, AttemptKind, number, string, Stored<Fees>, number]

export const ATTEMPT_FIELDS =
  'a.hash, a.raw, a.kind, a.nonce, a.gas_limit::text, a.fees, (extract(epoch from a.created_at) * 1000)::bigint'

export function readAttempt([hash, raw, kind, nonce, gasLimit, fees, createdAt]: StoredAttempt): Attempt {
  return {
    hash: readBytes(hash),
    raw: readBytes(raw),
    kind,
    nonce,
    gasLimit: BigInt(gasLimit),
    fees: readFees(fees),
    createdAt,
  }
}

export function readBytes(text: string): Hash | Hex {
  return `0x${text.slice(2)}`
}
