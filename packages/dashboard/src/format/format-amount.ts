/** Amounts for people: short where that is exact enough, never rounded up, and always with the exact wei at hand. */
const GWEI = 10n ** 9n
const ETHER = 10n ** 18n
const SHOWN_DECIMALS = 6

export interface Amount {
  readonly text: string
  readonly unit: string
  /** Exact, for hovering and copying. */
  readonly exact: string
  /** Digits were cut off: the true amount is a little more. */
  readonly isCut: boolean
}

/** In the coin of the chain; amounts that would show as zero there, in a smaller unit. */
export function formatAmount(wei: bigint, symbol: string): Amount {
  const exact = `${groupDigits(wei.toString())} wei`
  if (wei !== 0n && wei < 10n ** 6n) return { text: groupDigits(wei.toString()), unit: 'wei', exact, isCut: false }
  if (wei !== 0n && wei < 10n ** 12n) return { ...divide(wei, GWEI), unit: 'gwei', exact }
  return { ...divide(wei, ETHER), unit: symbol, exact }
}

/** Prices of gas are always in gwei, so that they can be compared at a glance. */
export function formatGasPrice(wei: bigint): Amount {
  return { ...divide(wei, GWEI), unit: 'gwei', exact: `${groupDigits(wei.toString())} wei` }
}

function divide(wei: bigint, unit: bigint): { readonly text: string; readonly isCut: boolean } {
  const decimals = unit.toString().length - 1
  const fraction = (wei % unit).toString().padStart(decimals, '0').replace(/0+$/, '')
  const shown = fraction.slice(0, SHOWN_DECIMALS).replace(/0+$/, '')
  const whole = groupDigits((wei / unit).toString())
  return { text: shown === '' ? whole : `${whole}.${shown}`, isCut: fraction.length > SHOWN_DECIMALS }
}

/** 1234567 → 1,234,567, the same in every locale. */
export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',')
}

export function formatCount(count: number): string {
  return groupDigits(String(count))
}
