/** Logs that are told by their first topic: those that every token writes. */
import { groupDigits } from '../format/format-amount.ts'
import { shortenAddress } from '../format/shorten.ts'

interface Log {
  readonly topics: readonly string[]
  readonly data: string
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'

/** Null: not known here. */
export function describeLog({ topics, data }: Log): string | null {
  const [event, first, second, third] = topics
  if (first === undefined || second === undefined) return null
  const [from, to] = [readAddress(first), readAddress(second)]
  if (event === TRANSFER) return `Transfer of ${readAmount(third, data)} from ${from} to ${to}`
  if (event === APPROVAL) return `Approval of ${readAmount(third, data)} by ${from} for ${to}`
  return null
}

function readAddress(topic: string): string {
  return shortenAddress(`0x${topic.slice(-40)}`)
}

/** A token with ids has them as a topic; an amount is in the data. */
function readAmount(id: string | undefined, data: string): string {
  if (id !== undefined) return `token ${groupDigits(BigInt(id).toString())}`
  return /^0x[0-9a-f]{64}$/i.test(data) ? groupDigits(BigInt(data).toString()) : 'an amount'
}
