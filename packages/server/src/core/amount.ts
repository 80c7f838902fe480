/** Amounts as people write them (`0.1ether`, `100gwei`, `123`) to wei and back, exactly: no floating point on the way. */
const UNITS = { wei: 0, gwei: 9, ether: 18 } as const
type Unit = keyof typeof UNITS

const AMOUNT = /^(?<whole>\d{1,78})(?:\.(?<fraction>\d{1,78}))?\s*(?<unit>wei|gwei|ether|eth)?$/i
const HEX = /^0x[0-9a-f]{1,64}$/i
const MAX = 2n ** 256n - 1n

const AMOUNT_HELP = 'must be wei ("123", "0x7b") or have a unit ("0.1ether", "100gwei")'

/** In wei; or what is wrong with it, phrased to follow the field name. */
export function parseAmount(text: string): bigint | { readonly problem: string } {
  const trimmed = text.trim()
  if (HEX.test(trimmed)) return BigInt(trimmed)
  const groups = AMOUNT.exec(trimmed)?.groups
  if (groups === undefined) return { problem: AMOUNT_HELP }
  const decimals = UNITS[toUnit(groups.unit)]
  const fraction = (groups.fraction ?? '').replace(/0+$/, '')
  if (fraction.length > decimals) {
    const name = toUnit(groups.unit)
    return {
      problem: name === 'wei' ? 'must be a whole number of wei' : `has more than ${decimals} decimals of ${name}`,
    }
  }
  const wei = BigInt((groups.whole ?? '0') + fraction.padEnd(decimals, '0'))
  return wei <= MAX ? wei : { problem: 'does not fit in 256 bits' }
}

function toUnit(text: string | undefined): Unit {
  const name = text?.toLowerCase()
  if (name === 'eth' || name === 'ether') return 'ether'
  return name === 'gwei' ? 'gwei' : 'wei'
}

/** In the unit that reads best, and never rounded: the text can be parsed back. */
export function formatAmount(wei: string | bigint): string {
  const amount = BigInt(wei)
  if (amount === 0n) return '0'
  if (amount >= 10n ** 12n) return `${formatUnits(amount, UNITS.ether)} ETH`
  return amount >= 10n ** 6n ? `${formatUnits(amount, UNITS.gwei)} gwei` : `${amount} wei`
}

/**
 * A price per gas for people: at most 3 decimals, at least 2 significant digits. In full if it would otherwise look the
 * same as another price that it is compared with.
 */
export function formatGwei(price: string | bigint, comparedWith: bigint = BigInt(price)): string {
  const wei = BigInt(price)
  const text = roundGwei(wei)
  const isAlike = wei !== comparedWith && text === roundGwei(comparedWith)
  return `${isAlike ? formatUnits(wei, UNITS.gwei) : text} gwei`
}

function roundGwei(wei: bigint): string {
  const decimals = Math.min(UNITS.gwei, Math.max(3, UNITS.gwei + 2 - wei.toString().length))
  const step = 10n ** BigInt(UNITS.gwei - decimals)
  return formatUnits(((wei + step / 2n) / step) * step, UNITS.gwei)
}

function formatUnits(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  const whole = digits.slice(0, -decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
