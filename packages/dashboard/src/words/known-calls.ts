/** Calls that are told by their selector, with their arguments: the functions that tokens have. */
import { groupDigits } from '../format/format-amount.ts'

type ArgumentType = 'address' | 'uint256' | 'bool' | 'bytes32'

interface KnownCall {
  readonly name: string
  readonly inputs: readonly { readonly name: string; readonly type: ArgumentType }[]
}

export interface DecodedCall {
  readonly name: string
  readonly args: readonly { readonly name: string; readonly type: string; readonly value: string }[]
}

const known = (name: string, ...inputs: readonly [string, ArgumentType][]): KnownCall => ({
  name,
  inputs: inputs.map(([input, type]) => ({ name: input, type })),
})

/** Only fixed-size arguments: each is one word of 32 bytes. */
const CALLS: Readonly<Record<string, KnownCall>> = {
  '0xa9059cbb': known('transfer', ['to', 'address'], ['amount', 'uint256']),
  '0x095ea7b3': known('approve', ['spender', 'address'], ['amount', 'uint256']),
  '0x23b872dd': known('transferFrom', ['from', 'address'], ['to', 'address'], ['amount', 'uint256']),
  '0x42842e0e': known('safeTransferFrom', ['from', 'address'], ['to', 'address'], ['tokenId', 'uint256']),
  '0xa22cb465': known('setApprovalForAll', ['operator', 'address'], ['approved', 'bool']),
  '0x40c10f19': known('mint', ['to', 'address'], ['amount', 'uint256']),
  '0x42966c68': known('burn', ['amount', 'uint256']),
  '0x79cc6790': known('burnFrom', ['account', 'address'], ['amount', 'uint256']),
  '0xd0e30db0': known('deposit'),
  '0x2e1a7d4d': known('withdraw', ['amount', 'uint256']),
  '0x8456cb59': known('pause'),
  '0x3f4ba83a': known('unpause'),
  '0xf2fde38b': known('transferOwnership', ['newOwner', 'address']),
  '0x715018a6': known('renounceOwnership'),
  '0x2f2ff15d': known('grantRole', ['role', 'bytes32'], ['account', 'address']),
  '0xd547741f': known('revokeRole', ['role', 'bytes32'], ['account', 'address']),
}

const WORD = 64

/** Null: not known here, or the arguments do not fit. */
export function decodeCall(data: string): DecodedCall | null {
  const call = CALLS[data.slice(0, 10).toLowerCase()]
  if (call === undefined) return null
  const words = data.slice(10)
  if (words.length !== call.inputs.length * WORD) return null
  const args = call.inputs.map(({ name, type }, index) => {
    const value = readWord(words.slice(index * WORD, (index + 1) * WORD), type)
    return value === null ? null : { name, type, value }
  })
  return args.some((arg) => arg === null) ? null : { name: call.name, args: args.flatMap((arg) => arg ?? []) }
}

/** The name alone, for lists. */
export function nameCall(data: string): string {
  const selector = data.slice(0, 10)
  return CALLS[selector.toLowerCase()]?.name ?? selector
}

function readWord(word: string, type: ArgumentType): string | null {
  if (!/^[0-9a-f]+$/i.test(word)) return null
  switch (type) {
    case 'address':
      return word.startsWith('0'.repeat(24)) ? `0x${word.slice(24)}` : null
    case 'bool':
      return { 0: 'false', 1: 'true' }[String(BigInt(`0x${word}`))] ?? null
    case 'bytes32':
      return `0x${word}`
    case 'uint256':
      return groupDigits(BigInt(`0x${word}`).toString())
  }
}
