/** Turns an event and its first indexed arguments into the key prefix that a timer watches. */
import { type AbiEvent, encodeEventTopics, parseAbiItem } from 'viem'
import type { Address, Hex } from '../../../core/hex.ts'
import { CallProblem, convertArgument } from './encode-call.ts'

const LOG_MARK = '01'

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
  if (args.length > indexed.length) {
    const message = `must have at most ${indexed.length} items, one for each indexed argument of the event: mark them like "Transfer(address indexed from, address indexed to, uint256 value)"`
    throw new CallProblem(['args'], message)
  }
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
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw new CallProblem(
      ['event'],
      `must be an event like "Transfer(address indexed from, address indexed to, uint256 value)": ${why}`,
    )
  }
  throw new CallProblem(['event'], 'must be the signature of an event')
}
