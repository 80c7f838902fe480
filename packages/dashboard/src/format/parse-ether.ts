/** An amount as a person types it, in ether, to exact wei. Nothing is rounded: what does not fit is refused with words. */
const DECIMALS = 18
const UINT256_MAX = 2n ** 256n - 1n

export type ParsedEther =
  | { readonly type: 'amount'; readonly wei: bigint }
  | { readonly type: 'problem'; readonly message: string }

export function parseEther(text: string): ParsedEther {
  const match = /^(\d*)(?:\.(\d*))?$/.exec(text.trim())
  const whole = match?.[1] ?? ''
  const fraction = match?.[2] ?? ''
  if (match === null || (whole === '' && fraction === '')) {
    return { type: 'problem', message: 'must be a number like 0.25, with a decimal point' }
  }
  if (fraction.length > DECIMALS) {
    return { type: 'problem', message: `has ${fraction.length} decimals, but at most 18 are possible (1 wei)` }
  }
  const wei = BigInt(whole + fraction.padEnd(DECIMALS, '0'))
  return wei <= UINT256_MAX ? { type: 'amount', wei } : { type: 'problem', message: 'is too large for a transaction' }
}
