/**
 * Turns `{function: "transfer(address,uint256)", args: […]}` into call data.
 *
 * Arguments are converted one by one against the signature's types before anything is encoded. So an error names the
 * path of the wrong argument (`call.args[1]`, `call.args[0].amount`) and what was expected there.
 */
import type { AbiFunction, AbiParameter } from 'viem'
import { encodeFunctionData, parseAbiItem } from 'viem/utils'
import type { Hex } from '../../../core/hex.ts'
import { parseAddress } from './address.ts'
import { parseAmount } from './amount.ts'
import { parseBytes } from './bytes.ts'

/** A call that cannot be encoded; `path` leads to the part at fault, from the call down. */
export class CallProblem extends Error {
  readonly path: readonly (string | number)[]

  constructor(path: readonly (string | number)[], message: string) {
    super(message)
    this.name = 'CallProblem'
    this.path = path
  }
}

type Path = readonly (string | number)[]

export function encodeCall(call: { readonly function: string; readonly args: readonly unknown[] }): Hex {
  const abi = parseSignature(call.function)
  if (call.args.length !== abi.inputs.length) {
    throw new CallProblem(['args'], `must have ${abi.inputs.length} items, not ${call.args.length}`)
  }
  const args = abi.inputs.map((input, index) => convert(input, call.args[index], ['args', index]))
  return encodeFunctionData({ abi: [abi], functionName: abi.name, args })
}

/** The function of a signature, with or without what it returns. */
export function parseSignature(text: string): AbiFunction {
  const signature = text.trim().startsWith('function ') ? text.trim() : `function ${text.trim()}`
  let item: ReturnType<typeof parseAbiItem>
  try {
    item = parseAbiItem(signature)
  } catch (error) {
    const why = explainParsing(error)
    throw new CallProblem(['function'], `must be a signature like "transfer(address,uint256)": ${why}`)
  }
  if (item.type === 'function') return item
  throw new CallProblem(['function'], 'must be a function signature like "transfer(address,uint256)"')
}

/** What the parser of signatures says, without the full stop: the sentence goes on. */
export function explainParsing(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/\.$/, '')
}

/** An argument converted to its type. Throws a CallProblem with its path. */
export function convertArgument(parameter: AbiParameter, value: unknown, path: Path): unknown {
  return convert(parameter, value, path)
}

function convert(parameter: AbiParameter, value: unknown, path: Path): unknown {
  const array = /^(.*)\[(\d*)\]$/.exec(parameter.type)
  if (array) return convertArray({ ...parameter, type: array[1] ?? '' }, array[2] ?? '', value, path)
  if (parameter.type === 'tuple') return convertTuple(parameter, value, path)
  return convertPlain(parameter.type, value, path)
}

function convertArray(element: AbiParameter, length: string, value: unknown, path: Path): unknown[] {
  if (!Array.isArray(value)) throw new CallProblem(path, `must be an array of ${element.type}`)
  if (length !== '' && value.length !== Number(length)) {
    throw new CallProblem(path, `must have exactly ${length} items, not ${value.length}`)
  }
  return value.map((item: unknown, index) => convert(element, item, [...path, index]))
}

/** A tuple is an object if all its parts are named, otherwise (or if the caller prefers) an array in order. */
function convertTuple(parameter: AbiParameter, value: unknown, path: Path): unknown {
  const components = 'components' in parameter ? parameter.components : []
  const isNamed = components.every((component) => component.name !== undefined && component.name !== '')
  if (Array.isArray(value)) {
    if (value.length !== components.length) throw new CallProblem(path, `must have ${components.length} items`)
    const parts = components.map((component, index) => convert(component, value[index], [...path, index]))
    return isNamed ? Object.fromEntries(components.map((component, index) => [component.name, parts[index]])) : parts
  }
  if (!isNamed || value === null || typeof value !== 'object') {
    throw new CallProblem(path, isNamed ? 'must be an object or an array' : 'must be an array of its fields, in order')
  }
  const fields = new Map<string, unknown>(Object.entries(value))
  const names = new Set(components.map((component) => component.name))
  for (const name of fields.keys()) {
    if (!names.has(name)) throw new CallProblem([...path, name], 'is not a field of this tuple')
  }
  return Object.fromEntries(
    components.map(({ name = '', ...rest }) => [name, convert({ name, ...rest }, fields.get(name), [...path, name])]),
  )
}

function convertPlain(type: string, value: unknown, path: Path): unknown {
  if (/^u?int\d*$/.test(type)) return convertInteger(type, value, path)
  if (type === 'address') {
    const parsed = parseAddress(value)
    if ('address' in parsed) return parsed.address
    throw new CallProblem(path, parsed.problem)
  }
  if (type === 'bool') {
    if (typeof value === 'boolean') return value
    throw new CallProblem(path, 'must be true or false')
  }
  if (type === 'string') {
    if (typeof value === 'string') return value
    throw new CallProblem(path, 'must be a string')
  }
  if (type.startsWith('bytes')) return convertBytes(type, value, path)
  throw new CallProblem(path, `has an unsupported type: ${type}`)
}

function convertInteger(type: string, value: unknown, path: Path): bigint {
  const isSigned = type.startsWith('int')
  const bits = BigInt(/\d+$/.exec(type)?.[0] ?? '256')
  const isNegative = (typeof value === 'string' && value.startsWith('-')) || (typeof value === 'number' && value < 0)
  const magnitude = parseAmount(isNegative ? withoutSign(value) : value)
  if (magnitude === null) throw new CallProblem(path, `must be a whole number (${type}), preferably as a string`)
  const integer = isNegative ? -magnitude : magnitude
  const [min, max] = isSigned ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n]
  if (integer < min || integer > max) throw new CallProblem(path, `does not fit in ${type}`)
  return integer
}

function withoutSign(value: string | number): string | number {
  return typeof value === 'number' ? -value : value.slice(1)
}

function convertBytes(type: string, value: unknown, path: Path): Hex {
  const bytes = parseBytes(value)
  if (bytes === null) throw new CallProblem(path, `must be 0x and an even number of hex digits (${type})`)
  const size = Number(type.slice('bytes'.length))
  if (size > 0 && bytes.length !== 2 + 2 * size) throw new CallProblem(path, `must be exactly ${size} bytes (${type})`)
  return bytes
}
