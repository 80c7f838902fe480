/** Tiny contracts for tests, as runtime code that a test puts at an address. */
import { encodeErrorResult, parseAbi } from 'viem'

/** Reverts every call with `Error(message)`: copies what stands behind its twelve bytes of code and reverts with it. */
export function revertingCode(message: string): `0x${string}` {
  const data = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: [message] }).slice(2)
  const size = (data.length / 2).toString(16).padStart(2, '0')
  return `0x60${size}600c60003960${size}6000fd${data}`
}
