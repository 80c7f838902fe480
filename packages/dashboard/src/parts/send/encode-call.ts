/** Calls from what people paste: a signature or an ABI, and arguments as text. Loaded apart, because it brings viem. */
import { type Abi, type AbiFunction, type AbiParameter, encodeFunctionData, isAddress, parseAbiItem } from 'viem'

export type ReadFunctions =
  | { readonly type: 'functions'; readonly functions: readonly AbiFunction[] }
  | { readonly type: 'problem'; readonly message: string }

export type EncodedCall =
  | { readonly type: 'data'; readonly data: string }
  /** `index`: which argument. */
  | { readonly type: 'problem'; readonly index: number; readonly message: string }

const WRITES: readonly string[] = ['nonpayable', 'payable']

/** A signature such as `transfer(address to, uint256 amount)`, a JSON ABI, or a compiler's output that has one. */
export function readFunctions(text: string): ReadFunctions {
  const trimmed = text.trim()
  return /^[[{]/.test(trimmed) ? readJson(trimmed) : readSignature(trimmed)
}

function readSignature(text: string): ReadFunctions {
  try {
    const item: unknown = parseAbiItem((text.startsWith('function ') ? text : `function ${text}`) as string)
    return { type: 'functions', functions: [item as AbiFunction] }
  } catch {
    return { type: 'problem', message: 'must look like transfer(address to, uint256 amount), or be a JSON ABI' }
  }
}

function readJson(text: string): ReadFunctions {
  const abi = findAbi(text)
  if (abi === null) return { type: 'problem', message: 'is no JSON ABI' }
  const functions = abi.filter(
    (item): item is AbiFunction => item.type === 'function' && WRITES.includes(item.stateMutability),
  )
  if (functions.length === 0) return { type: 'problem', message: 'has no function that changes anything' }
  return { type: 'functions', functions }
}

function findAbi(text: string): Abi | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (Array.isArray(parsed)) return parsed as Abi
    const { abi } = parsed as { readonly abi?: unknown }
    return Array.isArray(abi) ? (abi as Abi) : null
  } catch {
    return null
  }
}

export function encodeCall(called: AbiFunction, texts: readonly string[]): EncodedCall {
  const args: unknown[] = []
  for (const [index, input] of called.inputs.entries()) {
    try {
      args.push(readArgument(input, texts[index] ?? ''))
    } catch (error) {
      return {
        type: 'problem',
        index,
        message: error instanceof ArgumentProblem ? error.message : 'does not fit its type',
      }
    }
  }
  try {
    return { type: 'data', data: encodeFunctionData({ abi: [called], args }) }
  } catch {
    return {
      type: 'problem',
      index: Math.max(0, called.inputs.length - 1),
      message: 'the arguments do not fit their types',
    }
  }
}

class ArgumentProblem extends Error {}

/** Lists and tuples are JSON; everything else is as it stands. */
function readArgument(input: AbiParameter, text: string): unknown {
  if (!/\]$|^tuple/.test(input.type)) return readValue(input, text.trim())
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new ArgumentProblem('must be JSON, such as ["0x12…", 5]')
  }
  return readNested(input, parsed)
}

function readNested(input: AbiParameter, value: unknown): unknown {
  const list = /^(.*)\[\d*\]$/.exec(input.type)
  if (list !== null) {
    if (!Array.isArray(value)) throw new ArgumentProblem('must be a JSON list')
    return value.map((item) => readNested({ ...input, type: list[1] ?? '' }, item))
  }
  if (input.type !== 'tuple') return readValue(input, typeof value === 'string' ? value : String(value))
  const parts = 'components' in input ? input.components : []
  const values = Array.isArray(value) ? value : parts.map(({ name }) => (value as Record<string, unknown>)[name ?? ''])
  return Object.fromEntries(parts.map((part, index) => [part.name ?? String(index), readNested(part, values[index])]))
}

function readValue({ type }: AbiParameter, text: string): unknown {
  if (/^u?int/.test(type)) {
    if (!/^-?(?:\d+|0x[0-9a-f]+)$/i.test(text)) throw new ArgumentProblem('must be a whole number')
    return BigInt(text)
  }
  if (type === 'bool') {
    if (text !== 'true' && text !== 'false') throw new ArgumentProblem('must be true or false')
    return text === 'true'
  }
  if (type === 'address' && !isAddress(text, { strict: false })) throw new ArgumentProblem('must be an address')
  if (type.startsWith('bytes') && !/^0x(?:[0-9a-f]{2})*$/i.test(text)) {
    throw new ArgumentProblem('must be hex, such as 0x12ab')
  }
  return text
}
