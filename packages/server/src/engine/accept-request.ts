/** A request as a caller made it, the digest that tells it from others, and the intent that it becomes. */
import { createHash } from 'node:crypto'
import type { Fees, Speed } from '../core/fees.ts'
import type { Finality } from '../core/finality.ts'
import type { Address, Hash, Hex } from '../core/hex.ts'
import type { Lane } from '../core/lane.ts'
import type { Intent } from '../core/transaction.ts'

/** What a caller said, in one spelling. Null is what was left out, so that a changed default is not another request. */
export interface AcceptRequest {
  readonly chainId: number | null
  readonly from: Address
  readonly to: Address | null
  readonly data: Hex
  readonly value: bigint
  readonly gasLimit: bigint | null
  readonly fees: Fees | null
  readonly speed: Speed | null
  readonly priority: number | null
  readonly validUntil: number | null
  readonly requestId: string | null
  readonly finality: Finality | null
  readonly simulate: boolean | null
  readonly metadata: Readonly<Record<string, string>>
  /** Who asks, for the history; no part of what is asked. */
  readonly by?: string
  /** What the API key behind it may spend on the fee; no part of what is asked. */
  readonly maxFeeWei?: bigint | null
}

export interface AcceptDefaults {
  readonly speed: Speed
  readonly simulate: boolean
}

export function formIntent(request: AcceptRequest, lane: Lane, defaults: AcceptDefaults): Intent {
  const { to, data, value, gasLimit, fees, validUntil, requestId, finality, metadata } = request
  return {
    ...{ lane, to, data, value, gasLimit, fees, validUntil, requestId, finality, metadata },
    maxFeeWei: request.maxFeeWei ?? null,
    speed: request.speed ?? defaults.speed,
    priority: request.priority ?? 0,
    simulate: request.simulate ?? defaults.simulate,
    requestDigest: digestRequest({ ...request, chainId: lane.chainId }),
  }
}

/** Equal for equal requests, whatever the order of their fields; the request id is the key, not a part of the body. */
export function digestRequest({ requestId: _key, by: _by, maxFeeWei: _cap, ...body }: AcceptRequest): Hash {
  return `0x${createHash('sha256').update(canonicalJson(body)).digest('hex')}`
}

function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`
}
