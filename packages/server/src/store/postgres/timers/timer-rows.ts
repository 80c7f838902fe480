/** How timers, commands and fires are stored, and read back: amounts in JSON are decimal text. */
import type { Address, Hash, Hex } from '../../../core/hex.ts'
import type {
  ConditionOutcome,
  Fire,
  FireState,
  FireTrigger,
  ManagedTimer,
  SkipReason,
  TimerCost,
  TimerSpec,
  TimerState,
} from '../../../core/timer/timer.ts'
import type { CommandAnswer, TimerCommand } from '../../../core/timer/timer-command.ts'
import type { TxError, TxState } from '../../../core/transaction/transaction.ts'
import type { NewFire } from '../../../ports/timer-store.ts'
import { toBytes, toStored, toText } from '../json-text.ts'
import type { Stored } from '../stored-json.ts'
import { COST_COLUMN, readCost } from './meter-fires.ts'

export function readSpec(spec: Stored<TimerSpec>): TimerSpec {
  return {
    ...spec,
    // Timers that were set by an earlier version have neither.
    maxFailures: spec.maxFailures ?? 0,
    onLowFunds: spec.onLowFunds ?? 'wait',
    gasLimit: BigInt(spec.gasLimit),
    bid: BigInt(spec.bid),
    value: BigInt(spec.value),
    maxFeeWei: spec.maxFeeWei === null ? null : BigInt(spec.maxFeeWei),
    when: spec.when === null ? null : { ...spec.when, value: BigInt(spec.when.value) },
  }
}

export type StoredTimerCommand = Stored<TimerCommand>

export function readCommand(body: StoredTimerCommand): TimerCommand {
  if (body.type === 'set' || body.type === 'update' || body.type === 'reschedule')
    return { ...body, spec: readSpec(body.spec) }
  return body
}

export interface CommandRow {
  readonly command_id: string
  readonly chain_id: number
  readonly body: StoredTimerCommand
  readonly answer: CommandAnswer | null
}

export interface TimerRow {
  readonly timer_id: string
  readonly place: number
  readonly kernel_id: Hash
  readonly tenant: string
  readonly name: string | null
  readonly request_id: string | null
  readonly request_digest: Hash
  readonly spec: Stored<TimerSpec>
  readonly metadata: Readonly<Record<string, string>>
  readonly state: TimerState
  readonly end_reason: string | null
  readonly due_height: number | null
  readonly fire_count: number
  readonly cost: Stored<TimerCost>
  readonly created_height: number
  readonly created_at: number
  readonly created_by: string
}

export const TIMER_COLUMNS = `t.timer_id, t.place, t.kernel_id, t.tenant, t.name, t.request_id, t.request_digest, t.spec,
  t.metadata, t.state, t.end_reason, t.due_height, t.fire_count, t.created_height, t.created_at, t.created_by,
  ${COST_COLUMN}`

export function readTimer(row: TimerRow): ManagedTimer {
  return {
    id: row.timer_id,
    place: row.place,
    kernelId: row.kernel_id,
    tenant: row.tenant,
    name: row.name,
    requestId: row.request_id,
    requestDigest: row.request_digest,
    spec: readSpec(row.spec),
    metadata: row.metadata,
    state: row.state,
    endReason: row.end_reason,
    dueHeight: row.due_height,
    fireCount: row.fire_count,
    cost: readCost(row.cost),
    createdHeight: row.created_height,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }
}

export interface FireRow {
  readonly deliver_id: Hash
  readonly fire_key: Hash
  readonly timer_id: string
  readonly kernel_id: Hash
  readonly fire_seq: number
  readonly height: number
  readonly block_hash: Hash
  readonly position: number
  readonly signer: Address
  readonly target: Address
  readonly data: Hex
  readonly gas_limit: bigint
  readonly bid: bigint
  readonly trigger: FireTrigger
  readonly digest: Hash
  readonly state: FireState
  readonly skip_reason: SkipReason | null
  readonly condition: Stored<ConditionOutcome> | null
  readonly orphaned: boolean
  /** As text: the driver reads arrays of bytes as buffers. */
  readonly aliases: readonly string[]
  readonly tx_id: string | null
  readonly tx: { readonly state: TxState; readonly error: TxError | null } | null
}

export const FIRE_COLUMNS = `e.deliver_id, e.fire_key, e.timer_id, e.kernel_id, e.fire_seq, e.height, e.block_hash,
  e.position, e.signer, e.target, e.data, e.gas_limit, e.bid, e.trigger, e.digest, e.state, e.skip_reason, e.condition,
  e.orphaned, (select coalesce(json_agg('0x' || encode(a, 'hex')), '[]') from unnest(e.aliases) a) as aliases, e.tx_id,
  (select json_build_object('state', state, 'error', error) from managed_tx where tx_id = e.tx_id) as tx`

export function readFire(row: FireRow): Fire {
  return {
    deliverId: row.deliver_id,
    fireKey: row.fire_key,
    timerId: row.timer_id,
    kernelId: row.kernel_id,
    fireSeq: row.fire_seq,
    height: row.height,
    blockHash: row.block_hash,
    position: row.position,
    owner: row.signer,
    target: row.target,
    data: row.data,
    gasLimit: row.gas_limit,
    bid: row.bid,
    trigger: row.trigger,
    digest: row.digest,
    state: row.state,
    skipReason: row.skip_reason,
    condition: row.condition === null ? null : { ...row.condition, value: readWord(row.condition.value) },
    isOrphaned: row.orphaned,
    aliases: row.aliases as readonly Hash[],
    txId: row.tx_id,
    txState: row.tx?.state ?? null,
    txError: row.tx?.error ?? null,
  }
}

function readWord(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}

/** As `FIRE_FIELDS` has it. */
export function toFireRow(fire: NewFire) {
  return {
    deliver_id: toBytes(fire.deliverId),
    fire_key: toBytes(fire.fireKey),
    timer_id: fire.timerId,
    kernel_id: toBytes(fire.kernelId),
    fire_seq: fire.fireSeq,
    height: fire.height,
    block_hash: toBytes(fire.blockHash),
    position: fire.position,
    signer: toBytes(fire.owner),
    target: toBytes(fire.target),
    data: toBytes(fire.data),
    gas_limit: fire.gasLimit.toString(),
    bid: fire.bid.toString(),
    trigger: fire.trigger,
    digest: toBytes(fire.digest),
    state: fire.state,
    skip_reason: fire.skipReason,
    condition: fire.condition === null ? null : toStored(fire.condition),
  }
}

export const FIRE_FIELDS = `
  deliver_id bytea, fire_key bytea, timer_id uuid, kernel_id bytea, fire_seq bigint, height bigint, block_hash bytea,
  position int, signer bytea, target bytea, data bytea, gas_limit numeric, bid numeric, trigger jsonb, digest bytea,
  state text, skip_reason text, condition jsonb`

export function toLabelText(text: string | null): string | null {
  return text === null ? null : toText(text)
}
