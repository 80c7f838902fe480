/** A row of managed_tx, with its attempts, as the transaction that it stands for. */
import type { AccessList } from '../../../core/chain/access-list.ts'
import type { NotBefore } from '../../../core/chain/chain-time.ts'
import type { Confirmation, Finality, Inclusion } from '../../../core/chain/finality.ts'
import type { Speed, WantedFees } from '../../../core/fees/fees.ts'
import type { Address, Hash, Hex } from '../../../core/hex.ts'
import type { Approval } from '../../../core/rules/approval.ts'
import { withOrigin } from '../../../core/transaction/shed-fields.ts'
import type {
  Intent,
  Queued,
  Refusal,
  RequestedReplacement,
  SubState,
  Transaction,
  TxError,
  TxState,
} from '../../../core/transaction/transaction.ts'
import {
  ATTEMPT_FIELDS,
  readAttempt,
  readInclusion,
  readWantedFees,
  type Stored,
  type StoredAttempt,
} from '../stored-json.ts'

/** Of `managed_tx t`. */
export const TRANSACTION_COLUMNS = `
  t.tx_id, t.chain_id, t.signer, t.request_id, t.request_digest, t.to_address, t.data, t.value, t.gas_limit, t.fees,
  t.max_fee, t.speed, t.priority, t.valid_until, t.finality, t.simulate, t.simulated, t.metadata, t.access_list,
  t.exact_nonce, t.created_at, t.version, t.state,
  t.sub_state, t.error, t.suspended, t.retry_at, t.prepare_failures, t.nonce, t.fencing_token, t.node_id, t.allocated_at,
  t.waiting_since, t.submitted_at, t.last_submit_at, t.submit_count, t.refusals, t.next_resubmit_at, t.new_forks, t.wish,
  t.may_be_held, t.refusal, t.inclusion, t.confirmations, t.mined_at, t.stuck_at, t.final_at,
  t.key_id, t.approval, t.not_before_height, t.not_before_time,
  (select json_agg(json_build_array(${ATTEMPT_FIELDS}) order by a.ordinal)
     from tx_attempt a where a.tx_id = t.tx_id) as attempts`

export interface TransactionRow {
  readonly tx_id: string
  readonly chain_id: number
  readonly signer: Address
  readonly request_id: string | null
  readonly request_digest: Hash
  readonly to_address: Address | null
  readonly data: Hex
  readonly value: bigint
  readonly gas_limit: bigint | null
  readonly fees: Stored<WantedFees> | null
  readonly max_fee: bigint | null
  readonly speed: Speed
  readonly priority: number
  readonly valid_until: number | null
  readonly finality: Finality | null
  readonly simulate: boolean
  readonly simulated: boolean
  readonly metadata: Readonly<Record<string, string>>
  readonly access_list: AccessList | null
  readonly exact_nonce: number | null
  readonly created_at: number
  readonly version: number
  readonly state: TxState
  readonly sub_state: SubState
  readonly error: TxError | null
  readonly suspended: boolean
  readonly retry_at: number | null
  readonly prepare_failures: number
  readonly nonce: number | null
  readonly fencing_token: number | null
  readonly node_id: string | null
  readonly allocated_at: number | null
  readonly waiting_since: number | null
  readonly submitted_at: number | null
  readonly last_submit_at: number | null
  readonly submit_count: number | null
  readonly refusals: number | null
  readonly next_resubmit_at: number | null
  readonly new_forks: number | null
  readonly wish: RequestedReplacement | null
  readonly may_be_held: boolean | null
  readonly refusal: Refusal | null
  readonly inclusion: Stored<Inclusion> | null
  readonly confirmations: readonly Confirmation[] | null
  readonly mined_at: number | null
  readonly stuck_at: number | null
  readonly final_at: number | null
  readonly key_id: string | null
  readonly approval: Approval | null
  readonly not_before_height: number | null
  readonly not_before_time: number | null
  readonly attempts: readonly StoredAttempt[] | null
}

export function readTransaction(row: TransactionRow): Transaction {
  const { state } = row
  switch (state) {
    case 'QUEUED':
      return readQueued(row)
    case 'ALLOCATED':
      return { ...readSigned(row), state }
    case 'TRACKING':
      return {
        ...readSigned(row),
        state,
        inclusion: row.inclusion && readInclusion(row.inclusion),
        minedAt: row.mined_at,
      }
    case 'STUCK':
      return { ...readSigned(row), state, stuckAt: present(row, 'stuck_at') }
    case 'CONFIRMED':
    case 'FAILED_FINAL':
      return { ...readSigned(row), state, ...readProof(row) }
    case 'CANCELLED':
      return row.nonce === null ? readDropped(row, state) : { ...readSigned(row), state, ...readProof(row) }
    case 'EXPIRED':
      return readDropped(row, state)
  }
}

function readDropped(row: TransactionRow, state: 'CANCELLED' | 'EXPIRED') {
  return { ...readBase(row), state, nonce: null, finalAt: present(row, 'final_at') } as const
}

function readProof(row: TransactionRow) {
  return {
    inclusion: readInclusion(present(row, 'inclusion')),
    confirmations: present(row, 'confirmations'),
    minedAt: present(row, 'mined_at'),
    finalAt: present(row, 'final_at'),
  }
}

function readSigned(row: TransactionRow) {
  return {
    ...readBase(row),
    nonce: present(row, 'nonce'),
    fence: present(row, 'fencing_token'),
    nodeId: present(row, 'node_id'),
    allocatedAt: present(row, 'allocated_at'),
    waitingSince: present(row, 'waiting_since'),
    submittedAt: row.submitted_at,
    lastSubmitAt: row.last_submit_at,
    submitCount: present(row, 'submit_count'),
    refusals: present(row, 'refusals'),
    nextResubmitAt: present(row, 'next_resubmit_at'),
    newForks: present(row, 'new_forks'),
    requestedReplacement: present(row, 'wish'),
    mayBeHeld: present(row, 'may_be_held'),
    refusal: row.refusal,
  }
}

function readBase(row: TransactionRow) {
  return withOrigin(
    {
      id: row.tx_id,
      intent: readIntent(row),
      version: row.version,
      subState: row.sub_state,
      error: row.error,
      suspended: row.suspended,
      createdAt: row.created_at,
      attempts: readAttempts(row),
    },
    readOrigin(row),
  )
}

/** As one literal: a queue is read with every pass, and V8 adds fields to a copy slowly. */
function readQueued(row: TransactionRow): Queued {
  return withOrigin(
    {
      id: row.tx_id,
      intent: readIntent(row),
      version: row.version,
      state: 'QUEUED',
      subState: row.sub_state,
      error: row.error,
      suspended: row.suspended,
      createdAt: row.created_at,
      attempts: readAttempts(row),
      retryAt: row.retry_at,
      prepareFailures: row.prepare_failures,
    },
    readOrigin(row),
  )
}

function readOrigin({ key_id, approval }: TransactionRow) {
  return { keyId: key_id ?? undefined, approval: approval ?? undefined }
}

function readAttempts({ attempts }: TransactionRow) {
  return attempts === null ? [] : attempts.map(readAttempt)
}

function readIntent(row: TransactionRow): Intent {
  const intent: Intent = {
    lane: { chainId: row.chain_id, signer: row.signer },
    to: row.to_address,
    data: row.data,
    value: row.value,
    gasLimit: row.gas_limit,
    fees: row.fees && readWantedFees(row.fees),
    maxFeeWei: row.max_fee,
    speed: row.speed,
    priority: row.priority,
    validUntil: row.valid_until,
    requestId: row.request_id,
    requestDigest: row.request_digest,
    finality: row.finality,
    simulate: row.simulate,
    simulated: row.simulated,
    metadata: row.metadata,
  }
  const { access_list: accessList, exact_nonce: exactNonce } = row
  const notBefore = readNotBefore(row)
  if (accessList === null && exactNonce === null && notBefore === null) return intent
  return {
    ...intent,
    ...(accessList !== null && { accessList }),
    ...(exactNonce !== null && { exactNonce }),
    ...(notBefore !== null && { notBefore }),
  }
}

function readNotBefore(row: TransactionRow): NotBefore | null {
  if (row.not_before_height !== null) return { height: row.not_before_height }
  return row.not_before_time === null ? null : { timeMs: row.not_before_time }
}

/** The schema's CHECKs guarantee these. A null here means that another program wrote to the table. */
function present<Key extends keyof TransactionRow>(row: TransactionRow, column: Key): NonNullable<TransactionRow[Key]> {
  const value = row[column]
  if (value === null || value === undefined) {
    throw new Error(`transaction ${row.tx_id} is ${row.state} but has no ${column}`)
  }
  return value
}
