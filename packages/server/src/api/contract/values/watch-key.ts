/** Turns an event and its first indexed arguments into the key prefix that a timer watches. */
import { type AbiEvent, encodeEventTopics, parseAbiItem } from 'viem'
import type { Address, Hex } from '../../../core/hex.ts'
import { CallProblem, convertArgument, explainParsing } from './encode-call.ts'

const LOG_MARK = '01'
/** The first of a log's four topics is the event itself. */
const MAX_INDEXED = 3

/** Of all logs of the contract. */
export function contractKey(contract: Address): Hex {
  return `${contract}${LOG_MARK}`
}

/** Whether a key longer than an address is one of logs. */
export function isLogKey(key: Hex): boolean {
  return key.startsWith(LOG_MARK, 2 + 2 * 20)
}

/** `args`: the indexed arguments in order, only the leading ones that must match. Throws a CallProblem. */
export function eventKey(contract: Address, signature: string, args: readonly unknown[]): Hex {
  const event = parseEvent(signature)
  const indexed = event.inputs.filter((input) => 'indexed' in input && input.indexed === true)
  // It would be accepted and never fire.
  if (indexed.length > MAX_INDEXED)
    throw new CallProblem(['event'], `must have at most ${MAX_INDEXED} indexed arguments, as Solidity allows`)
  if (args.length > indexed.length) {
    const message = `must have at most ${indexed.length} items, one for each indexed argument of the event: mark them like "Transfer(address indexed from, address indexed to, uint256 value)"`
    throw new CallProblem(['args'], message)
  }
  const hashed = indexed.slice(0, args.length).findIndex(({ type }) => type.endsWith(']') || type.startsWith('tuple'))
  if (hashed >= 0)
    throw new CallProblem(
      ['args', hashed],
      'cannot be an array or a tuple: leave it out, or give the hash that is its topic in keys',
    )
  const values = args.map((arg, index) => convertArgument(indexed[index] ?? { type: '' }, arg, ['args', index]))
  const unnamed = { ...event, inputs: event.inputs.map(({ name: _name, ...input }) => input) } as AbiEvent
  const topics = encodeEventTopics({ abi: [unnamed], args: values }) as readonly (Hex | null | readonly Hex[])[]
  const given = topics.slice(0, args.length + 1).flatMap((topic) => (typeof topic === 'string' ? [topic.slice(2)] : []))
  return `${contractKey(contract)}${given.join('')}`
}

function parseEvent(text: string): AbiEvent {
  const signature = text.trim().startsWith('event ') ? text.trim() : `event ${text.trim()}`
  try {
    const item = parseAbiItem(signature)
    if (typeof item === 'object' && 'type' in item && item.type === 'event') return item
  } catch (error) {
    throw new CallProblem(
      ['event'],
      `must be an event like "Transfer(address indexed from, address indexed to, uint256 value)": ${explainParsing(error)}`,
    )
  }
  throw new CallProblem(['event'], 'must be the signature of an event')
}
