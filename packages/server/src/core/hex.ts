/** Byte strings as the core knows them: lower-case hex. Check-summed addresses exist only at the API's edge. */
export type Hex = `0x${string}`
export type Address = Hex
export type Hash = Hex

const HEX = /^0x(?:[0-9a-f]{2})*$/

export function isHex(text: string): text is Hex {
  return HEX.test(text)
}

export function isAddress(text: string): text is Address {
  return text.length === 42 && isHex(text)
}

/** Address case has no meaning on chain, so it must have none here: two spellings are one signer. */
export function toAddress(text: string): Address {
  const lower = text.toLowerCase()
  if (!isAddress(lower)) throw new Error(`not an address: ${text}`)
  return lower
}

export function byteLength(hex: Hex): number {
  return (hex.length - 2) / 2
}
