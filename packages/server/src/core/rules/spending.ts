/** What one transaction would spend, in the units that rules count in. */
import { type Address, type Hex, isAddress } from '../hex.ts'

/** What is counted: native value, fees, transactions, and each token. */
export type Measure = 'value' | 'gas' | 'count' | `token:${Address}`

/** The part of a transaction that rules look at. */
export interface Wanted {
  readonly chainId: number
  /** Null creates a contract. */
  readonly to: Address | null
  readonly data: Hex
  readonly value: bigint
  /** The most that it can cost in fees; null: not known yet. */
  readonly feeWei: bigint | null
}

export type Amounts = Readonly<Partial<Record<Measure, bigint>>>

/** The word of the arguments that is the amount. */
const AMOUNT_WORD: Readonly<Record<Hex, number>> = {
  /** transfer(address,uint256) */
  '0xa9059cbb': 1,
  /** approve(address,uint256) */
  '0x095ea7b3': 1,
  /** transferFrom(address,address,uint256) */
  '0x23b872dd': 2,
  // What else many tokens offer to the same end: a cap on the above alone would be no cap.
  /** increaseAllowance(address,uint256) */
  '0x39509351': 1,
  /** increaseApproval(address,uint256) */
  '0xd73dd623': 1,
  /** approveAndCall(address,uint256,bytes) */
  '0xcae9ca51': 1,
  /** transferAndCall(address,uint256,bytes) */
  '0x4000aea0': 1,
  /** send(address,uint256,bytes) */
  '0x9bd9bbc6': 1,
}

const SELECTOR_LENGTH = 10
const WORD_LENGTH = 64

/** `0x` if there is no data, null if there is less than a selector. */
export function selectorOf(data: Hex): Hex | null {
  if (data === '0x') return data
  return data.length < SELECTOR_LENGTH ? null : `0x${data.slice(2, SELECTOR_LENGTH)}`
}

/** Null: not a call that moves tokens. Missing bytes count as zeros, as they do for the EVM. */
export function tokenAmountOf({ to, data }: Pick<Wanted, 'to' | 'data'>): { token: Address; amount: bigint } | null {
  const selector = selectorOf(data)
  const word = selector === null ? undefined : AMOUNT_WORD[selector]
  if (to === null || word === undefined) return null
  const start = SELECTOR_LENGTH + word * WORD_LENGTH
  const digits = data.slice(start, start + WORD_LENGTH).padEnd(WORD_LENGTH, '0')
  return { token: to, amount: BigInt(`0x${digits}`) }
}

/** Tokens are counted only if a rule of the subject lists them, so that the books stay small. */
export function amountsOf(wanted: Wanted, isListed: (token: Address) => boolean): Amounts {
  const moved = tokenAmountOf(wanted)
  return {
    value: wanted.value,
    gas: wanted.feeWei ?? 0n,
    count: 1n,
    ...(moved !== null && isListed(moved.token) && { [tokenMeasure(moved.token)]: moved.amount }),
  }
}

export function tokenMeasure(token: Address): Measure {
  return `token:${token}`
}

export function isMeasure(text: string): text is Measure {
  if (text === 'value' || text === 'gas' || text === 'count') return true
  return text.startsWith('token:') && isAddress(text.slice('token:'.length))
}
