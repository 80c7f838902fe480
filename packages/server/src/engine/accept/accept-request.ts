/** A request as the caller made it, the digest that distinguishes it from others, and the intent that it becomes. */
import { hash } from 'node:crypto'
import type { AppError } from '../../core/app-error.ts'
import type { AccessList } from '../../core/chain/access-list.ts'
import type { NotBefore } from '../../core/chain/chain-time.ts'
import type { Finality } from '../../core/chain/finality.ts'
import type { Speed, WantedFees } from '../../core/fees/fees.ts'
import type { Address, Hash, Hex } from '../../core/hex.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { Intent } from '../../core/transaction/transaction.ts'

/** The caller's request in canonical form. Null means left out, so a changed default is not a different request. */
export interface AcceptRequest {
  readonly chainId: number | null
  readonly from: Address
  readonly to: Address | null
  readonly data: Hex
  readonly value: bigint
  readonly gasLimit: bigint | null
  readonly fees: WantedFees | null
  readonly speed: Speed | null
  readonly priority: number | null
  readonly validUntil: number | null
  readonly requestId: string | null
  readonly finality: Finality | null
  readonly simulate: boolean | null
  readonly metadata: Readonly<Record<string, string>>
  readonly accessList?: AccessList
  readonly exactNonce?: number
  readonly notBefore?: NotBefore
  /** The caller, for the history; not part of the digest. */
  readonly by?: string
  /** The tenant that owns the request; omitted or null: the service has no keys. Not part of the digest either. */
  readonly tenant?: string | null
  /** The API key that sent it: its rules bind the transaction. Not part of the digest either. */
  readonly keyId?: string
  /** The answer, unless this repeats an earlier request, which gets its first answer again; not part of the digest. */
  readonly refusal?: AppError
  /** The most that the API key may spend on the fee; not part of the digest. */
  readonly maxFeeWei?: bigint | null
}

/** Who sent a request, and what it may spend. */
export type Sender = Required<Pick<AcceptRequest, 'by' | 'tenant' | 'maxFeeWei'>> & Pick<AcceptRequest, 'keyId'>

/** All of its fields; those that are left out are undefined. */
type Fields = { readonly [Name in keyof Required<AcceptRequest>]: AcceptRequest[Name] | undefined }

/**
 * The request with its sender. Field by field, because V8 turns a copy with this many fields into a slow dictionary when
 * more are added to it.
 */
export function signRequest(request: AcceptRequest, { by, tenant, keyId, maxFeeWei }: Sender): AcceptRequest {
  const signed: Fields = {
    chainId: request.chainId,
    from: request.from,
    to: request.to,
    data: request.data,
    value: request.value,
    gasLimit: request.gasLimit,
    fees: request.fees,
    speed: request.speed,
    priority: request.priority,
    validUntil: request.validUntil,
    requestId: request.requestId,
    finality: request.finality,
    simulate: request.simulate,
    metadata: request.metadata,
    accessList: request.accessList,
    exactNonce: request.exactNonce,
    notBefore: request.notBefore,
    refusal: request.refusal,
    by,
    tenant,
    keyId,
    maxFeeWei,
  }
  return signed as AcceptRequest
}

export interface AcceptDefaults {
  readonly speed: Speed
  readonly simulate: boolean
}

export function formIntent(request: AcceptRequest, lane: Lane, defaults: AcceptDefaults): Intent {
  const { to, data, value, gasLimit, fees, validUntil, requestId, finality, metadata } = request
  const { accessList, exactNonce, notBefore } = request
  return {
    lane,
    to,
    data,
    value,
    gasLimit,
    fees,
    validUntil,
    requestId,
    finality,
    metadata,
    maxFeeWei: request.maxFeeWei ?? null,
    speed: request.speed ?? defaults.speed,
    priority: request.priority ?? 0,
    simulate: request.simulate ?? defaults.simulate,
    simulated: false,
    requestDigest: digestOn(lane.chainId, request),
    // Last, because fields after a copied part are slow to add.
    ...(accessList !== undefined && accessList.length > 0 && { accessList }),
    ...(exactNonce !== undefined && { exactNonce }),
    ...(notBefore !== undefined && { notBefore }),
  }
}

/**
 * Equal for equal requests, whatever the order of their fields. The request id is the key, not part of the body. Stored
 * digests are compared with new ones: this text must never change.
 */
export function digestRequest(request: AcceptRequest): Hash {
  return digestOn(request.chainId, request)
}

/** The digest of a request that may leave out its chain. */
function digestOn(chainId: number | null, request: AcceptRequest): Hash {
  return `0x${hash('sha256', writeCanonically(chainId, request))}`
}

/** Same output as `canonicalJson`, with the fields already in order: every request passes through here. */
function writeCanonically(chainId: number | null, request: AcceptRequest): string {
  const { data, fees, finality, from, gasLimit, metadata, priority, simulate, speed, to, validUntil } = request
  const { accessList, exactNonce, notBefore } = request
  const list = accessList === undefined ? '' : `"accessList":${canonicalJson(accessList)},`
  const exact = exactNonce === undefined ? '' : `"exactNonce":${exactNonce},`
  const wanted = `"fees":${canonicalJson(fees)},"finality":${canonicalJson(finality)}`
  const gas = gasLimit === null ? 'null' : `"${gasLimit}"`
  const start = notBefore === undefined ? '' : `"notBefore":${canonicalJson(notBefore)},`
  const pace = `${start}"priority":${priority},"simulate":${simulate},"speed":${JSON.stringify(speed)}`
  const target = `"to":${JSON.stringify(to)},"validUntil":${validUntil},"value":"${request.value}"`
  return `{${list}"chainId":${chainId},"data":"${data}",${exact}${wanted},"from":"${from}","gasLimit":${gas},"metadata":${canonicalJson(metadata)},${pace},${target}}`
}

function canonicalJson(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return `"${value}"`
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`
}
