/** Tiny handwritten contracts, so that no compiler is needed: code that a test puts at an address, or deploys. */
import { encodeErrorResult, parseAbi, toEventSelector, toFunctionSelector } from 'viem'

/** Reverts every call with `Error(message)`: copies the data after its twelve bytes of code and reverts with it. */
export function revertingCode(message: string): `0x${string}` {
  const data = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: [message] }).slice(2)
  const size = (data.length / 2).toString(16).padStart(2, '0')
  return `0x60${size}600c60003960${size}6000fd${data}`
}

const INCREASE = 'function increase(uint256 by)'
const TOTAL = 'function total() view returns (uint256)'
const INCREASED = 'event Increased(uint256 by)'

/** Adds up the values it is given and logs each sum; every other call reverts. */
export const COUNTER = {
  abi: [INCREASE, TOTAL, INCREASED],
  bytecode: counterCode(),
} as const

function counterCode(): `0x${string}` {
  const bare = (hex: string): string => hex.slice(2)
  const choose = (signature: string, to: string): string => `63${bare(toFunctionSelector(signature))}1460${to}57`
  const runtime = [
    '60003560e01c80', // the selector, twice
    choose(TOTAL, '1e'),
    choose(INCREASE, '2a'),
    '60006000fd', // neither: revert
    '5b60005460005260206000f3', // 1e: return what is stored
    '5b6004358060005401600055600052', // 2a: add the argument, and keep it in memory
    `7f${bare(toEventSelector(INCREASED))}60206000a100`, // tell of it
  ].join('')
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  return `0x60${size}80600b6000396000f3${runtime}`
}
