/**
 * Acceptance of an intent, on any node: nothing is promised before it is durable.
 *
 * The order matters. A repeat of an earlier request is recognised before anything is asked of the chain, since it must
 * get its first answer even where the same call would fail by now. Then the call is simulated: a certain failure is
 * refused here and takes neither a row nor a nonce. A node that cannot run the simulation is no reason to turn the caller
 * away, because the lane simulates again before it takes a nonce; so the intent is accepted and durable first.
 */
import { createHash } from 'node:crypto'
import { AppError } from '../core/app-error.ts'
import type { Fees, Speed } from '../core/fees.ts'
import type { Finality } from '../core/finality.ts'
import type { Address, Hash, Hex } from '../core/hex.ts'
import { type Lane, type LaneKey, laneKey } from '../core/lane.ts'
import type { Intent, Transaction } from '../core/transaction.ts'
import { type Call, type CallOutcome, type Chain, ChainUnavailable } from '../ports/chain.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { SignerRecord, Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type Batcher, createBatcher, type Intake, type Pending } from './intake.ts'

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
}

export interface Accepted {
  /** `existing`: the same request was accepted before, and this is what became of it. */
  readonly type: 'accepted' | 'existing'
  readonly transaction: Transaction
}

export type Accept = (request: AcceptRequest) => Promise<Accepted>

export interface AcceptDefaults {
  readonly speed: Speed
  readonly simulate: boolean
}

interface AcceptPorts {
  readonly store: Pick<Store, 'listTransactions'>
  readonly signers: KnownSigners
  readonly chains: ReadonlyMap<number, Chain>
  readonly intake: Pick<Intake, 'submit'>
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
  readonly defaults?: Partial<AcceptDefaults>
}

export function createAccept(ports: AcceptPorts): Accept {
  const { store, signers, chains, intake, clock, random } = ports
  const defaults: AcceptDefaults = { speed: 'standard', simulate: true, ...ports.defaults }
  const simulate = createSimulation(ports)

  async function findEarlier({ lane, requestId, requestDigest }: Intent): Promise<Accepted | null> {
    if (requestId === null) return null
    const { chainId, signer } = lane
    const page = await store.listTransactions({ chainId, from: signer, requestId }, { after: null, limit: 1 })
    const earlier = page.items[0]
    if (earlier === undefined) return null
    if (earlier.intent.requestDigest !== requestDigest) throw conflict(requestId, earlier.id)
    return { type: 'existing', transaction: earlier }
  }

  async function take(request: AcceptRequest): Promise<Accepted> {
    const lane = { chainId: resolveChainId(request.chainId, chains), signer: request.from }
    const intent = formIntent(request, lane, defaults)
    if ((await signers.find(lane)) === null) throw unknownSigner(lane)
    const isLate = intent.validUntil !== null && intent.validUntil <= clock.now()
    // The insert recognises a repeat by itself; looking first is only for what would refuse it before it gets there.
    const earlier = intent.simulate || isLate ? await findEarlier(intent) : null
    if (earlier !== null) return earlier
    if (isLate) {
      throw new AppError('invalid_request', 'validUntil has passed already.', { field: 'validUntil' })
    }
    const rejection = intent.simulate ? await simulate(intent) : null
    if (rejection !== null) {
      // Its twin may have been accepted, and even mined, while this one was simulated.
      const twin = await findEarlier(intent)
      if (twin !== null) return twin
      throw rejection
    }
    const outcome = await intake.submit({ id: random.id(clock.now()), intent })
    switch (outcome.type) {
      case 'inserted':
        return { type: 'accepted', transaction: outcome.transaction }
      case 'existing':
        return { type: 'existing', transaction: outcome.transaction }
      case 'conflict':
        throw conflict(intent.requestId ?? '', outcome.transactionId)
      case 'unknown_signer':
        throw unknownSigner(lane)
    }
  }

  return async (request) => {
    let result: string = 'internal'
    try {
      const accepted = await take(request)
      result = accepted.type
      return accepted
    } catch (error) {
      if (error instanceof AppError) result = error.code
      throw error
    } finally {
      ports.telemetry.count('drover_transactions_accepted_total', { result })
    }
  }
}

function resolveChainId(chainId: number | null, chains: ReadonlyMap<number, Chain>): number {
  const followed = [...chains.keys()]
  if (chainId === null) {
    const [only, ...others] = followed
    if (only !== undefined && others.length === 0) return only
    const message = `chainId is needed, since this service follows ${followed.length} chains (${followed.join(', ')}).`
    throw new AppError('invalid_request', message, { field: 'chainId' })
  }
  if (chains.has(chainId)) return chainId
  const message = `This service does not follow chain ${chainId}; it follows ${followed.join(', ')}.`
  throw new AppError('unknown_chain', message, { field: 'chainId' })
}

function formIntent(request: AcceptRequest, lane: Lane, defaults: AcceptDefaults): Intent {
  const { to, data, value, gasLimit, fees, validUntil, requestId, finality, metadata } = request
  return {
    ...{ lane, to, data, value, gasLimit, fees, validUntil, requestId, finality, metadata },
    speed: request.speed ?? defaults.speed,
    priority: request.priority ?? 0,
    simulate: request.simulate ?? defaults.simulate,
    requestDigest: digestRequest({ ...request, chainId: lane.chainId }),
  }
}

/** Equal for equal requests, whatever the order of their fields; the request id is the key, not a part of the body. */
export function digestRequest({ requestId: _key, ...body }: AcceptRequest): Hash {
  return `0x${createHash('sha256').update(canonicalJson(body)).digest('hex')}`
}

function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`
}

function conflict(requestId: string, transactionId: string): AppError {
  const message = `Request id ${JSON.stringify(requestId)} was used before with another body, by transaction ${transactionId}; use a new one for a new request.`
  return new AppError('idempotency_conflict', message, { field: 'requestId', transactionId })
}

function unknownSigner(lane: Lane): AppError {
  const message = `${lane.signer} is not a signer on chain ${lane.chainId}; register it first.`
  return new AppError('unknown_signer', message, { field: 'from' })
}

/** The deadline is short: a slow node must not hold up what can be simulated later. */
const SIMULATION = { lingerMs: 3, maxBatch: 100, maxRunning: 4, maxWaiting: 5_000, deadlineMs: 5_000 }

/** Calls that come within the same few milliseconds go to the chain as one batch. Null: nothing speaks against it. */
function createSimulation({ chains, clock, telemetry }: Pick<AcceptPorts, 'chains' | 'clock' | 'telemetry'>) {
  const batchers = new Map<number, Batcher<Call, CallOutcome>>()
  for (const [chainId, chain] of chains) {
    const expire = () => new ChainUnavailable(`no simulation within ${SIMULATION.deadlineMs} ms`)
    batchers.set(chainId, createBatcher({ clock, ...SIMULATION, expire, run: (batch) => estimate(chain, batch) }))
  }

  return async (intent: Intent): Promise<AppError | null> => {
    const { lane, to, data, value, gasLimit } = intent
    try {
      const outcome = await batchers.get(lane.chainId)?.add({ from: lane.signer, to, data, value, gasLimit })
      return outcome === undefined || outcome.type === 'ok' ? null : describeRejection(outcome)
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      telemetry.log('warn', 'accepted without simulation', { chainId: lane.chainId, error: error.message })
      return null
    }
  }
}

async function estimate(chain: Chain, batch: readonly Pending<Call, CallOutcome>[]): Promise<void> {
  const outcomes = await chain.estimate(batch.map((entry) => entry.item))
  for (const [index, entry] of batch.entries()) {
    const outcome = outcomes[index]
    if (outcome === undefined) entry.reject(new ChainUnavailable('the node left out a simulation'))
    else entry.resolve(outcome)
  }
}

function describeRejection(outcome: Exclude<CallOutcome, { type: 'ok' }>): AppError {
  const hint = 'Nothing was stored. If it depends on transactions that are not mined yet, send it with simulate: false.'
  switch (outcome.type) {
    case 'reverted':
      return new AppError('transaction_rejected', `It would revert: ${outcome.reason}. ${hint}`, {
        ...{ outcome: outcome.type, reason: outcome.reason, revertData: outcome.data },
      })
    case 'insufficient_funds':
    case 'invalid':
      return new AppError('transaction_rejected', `The chain would refuse it: ${outcome.message}. ${hint}`, {
        ...{ outcome: outcome.type, reason: outcome.message },
      })
  }
}

/** The registered lanes, kept in memory: every request asks for one, and they hardly ever change. */
export interface KnownSigners {
  /** A lane that is not known is looked up in the store once before null is the answer. */
  find(lane: Lane): Promise<SignerRecord | null>
  /** What memory holds now; it is filled soon after the start and kept fresh behind the answers. */
  peek(lane: Lane): SignerRecord | null
  close(): void
}

interface KnownSignersPorts {
  readonly store: Pick<Store, 'listSigners' | 'listen'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly maxAgeMs?: number
}

export function createKnownSigners({ store, clock, telemetry, maxAgeMs = 5_000 }: KnownSignersPorts): KnownSigners {
  let known: ReadonlyMap<LaneKey, SignerRecord> = new Map()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  async function read(): Promise<void> {
    const startedAt = clock.monotonic()
    const records = await store.listSigners()
    known = new Map(records.map((record) => [laneKey(record.lane), record]))
    readAt = startedAt
  }

  function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = null
    })
    return reading
  }

  function keepFresh(): void {
    if (clock.monotonic() - readAt <= maxAgeMs) return
    refreshBehind()
  }

  function refreshBehind(): void {
    refresh().catch((error: unknown) => {
      telemetry.log('warn', 'signers could not be read; the known ones stay', { error: String(error) })
    })
  }

  const unlisten = store.listen((notice) => {
    if (notice.type === 'nodes.changed' || notice.type === 'gap') refreshBehind()
  })
  refreshBehind()

  function peek(lane: Lane): SignerRecord | null {
    keepFresh()
    return known.get(laneKey(lane)) ?? null
  }

  async function find(lane: Lane): Promise<SignerRecord | null> {
    const key = laneKey(lane)
    const hit = known.get(key)
    if (hit !== undefined) {
      keepFresh()
      return hit
    }
    // A read that is under way may have begun before the signer was registered: only one that starts now can refuse it.
    if (reading !== null) await reading
    if (!known.has(key)) await refresh()
    return known.get(key) ?? null
  }

  return { find, peek, close: unlisten }
}
