/** The limit that forbids a price, and a value of it that would be enough: what an operator has to know to raise it. */

/** Who set the limit. */
export type CapSource = 'chain' | 'signer' | 'key' | 'signer_per_gas' | 'request'

/** Stored with the error of a transaction, so without big integers. */
export interface FeeLimit {
  readonly source: CapSource
  /** What it allows per gas now, in wei. */
  readonly perGas: string
  /** What it allows for the whole transaction, in wei, if it is a limit on that: then `perGas` depends on the gas. */
  readonly fee?: string
  /** As commands and settings take it (`22gwei`): per gas, or for the whole transaction if the limit is one on that. */
  readonly enough: string
}

interface Cap {
  readonly perGasWei: bigint
  readonly feeWei: bigint | null
  readonly source: CapSource
}

/** `neededWei` is asked per gas now. Prices move until the limit is raised, so twice that is enough. */
export function limitOf({ perGasWei, feeWei, source }: Cap, neededWei: bigint, gasLimit: bigint): FeeLimit {
  const wei = 2n * neededWei * (feeWei === null ? 1n : gasLimit)
  const fee = feeWei === null ? {} : { fee: feeWei.toString() }
  return { source, perGas: perGasWei.toString(), ...fee, enough: spellForCommand(roundUp(wei)) }
}

/** The same limit as before, at the same value. A release that did not store the fee of the whole transaction knew only `perGas`. */
export function isSameLimit(one: FeeLimit | undefined, other: FeeLimit | undefined): boolean {
  if (one?.source !== other?.source) return false
  const isWhole = one?.fee !== undefined && other?.fee !== undefined
  return isWhole ? one.fee === other.fee : one?.perGas === other?.perGas
}

/** To two digits: nobody types eighteen. */
function roundUp(wei: bigint): bigint {
  const step = 10n ** BigInt(Math.max(0, wei.toString().length - 2))
  return ((wei + step - 1n) / step) * step
}

function spellForCommand(wei: bigint): string {
  if (wei >= 10n ** 15n) return `${spellIn(wei, 18)}ether`
  return wei >= 10n ** 7n ? `${spellIn(wei, 9)}gwei` : wei.toString()
}

function spellIn(wei: bigint, decimals: number): string {
  const digits = wei.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -decimals) : `${digits.slice(0, -decimals)}.${fraction}`
}
