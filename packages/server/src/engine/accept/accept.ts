/**
 * Accepts an intent, on any node: nothing is promised before it is durable.
 *
 * The call is simulated first: a certain failure is refused here and takes neither a row nor a nonce. If a node cannot
 * run the simulation, the intent is still accepted and made durable, because the lane simulates again before it takes a
 * nonce.
 *
 * A repeat of an earlier request must get its first answer, even if the same call would fail by now. The insert
 * recognises it, so a request that passes costs no look-up. Whatever is about to refuse a request looks for an earlier
 * one before it does, and so does a simulation that takes long. Where spending rules apply, the look comes first.
 */
import { AppError } from '../../core/app-error.ts'
import { findUnmineable, isTinyPrice } from '../../core/fees/unmineable-price.ts'
import type { Lane } from '../../core/lane/lane.ts'
import { subjectsOf } from '../../core/rules/rule-set.ts'
import { findImpossible } from '../../core/transaction/not-before.ts'
import type { Intent, Transaction } from '../../core/transaction/transaction.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { Random } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { createFeeMarkets } from '../fees/fee-markets.ts'
import { refuseFees } from '../fees/refuse-fees.ts'
import { estimateFee } from '../rules/estimate-fee.ts'
import { refusalError } from '../rules/refusal-error.ts'
import type { RuleBook } from '../rules/rule-book.ts'
import type { QueueBounds, QueuePlace } from '../tenants/queue-depth.ts'
import type { Tenant } from '../tenants/tenant-pool.ts'
import { type AcceptDefaults, type AcceptRequest, formIntent } from './accept-request.ts'
import { createEarlierRequests } from './earlier-requests.ts'
import type { Intake } from './intake.ts'
import type { KnownSigners } from './known-signers.ts'
import { createSimulation, type Simulated, type SimulationPorts } from './simulation.ts'

export interface Accepted {
  /** `existing`: the same request was accepted before, and this is its current state. */
  readonly type: 'accepted' | 'existing'
  readonly transaction: Transaction
}

/** `submit` replaces the intake's, to store several requests together. */
export type Accept = (request: AcceptRequest, submit?: Intake['submit']) => Promise<Accepted>

export interface AcceptBounds {
  /** How much may be on its way to the store at once. */
  readonly places: { enter(request: Pick<AcceptRequest, 'tenant' | 'data'>): () => void }
  readonly queue: Pick<QueueBounds, 'enter'>
  /** Share of the simulations that run at once. */
  readonly sharePercent?: number
}

const NO_BOUNDS: AcceptBounds = {
  places: { enter: () => () => {} },
  queue: { enter: async () => ({ keep: () => {}, giveBack: () => {} }) },
}

interface AcceptPorts extends SimulationPorts {
  readonly store: Pick<Store, 'findRequests'>
  readonly signers: Pick<KnownSigners, 'find'>
  readonly intake: Pick<Intake, 'submit'>
  readonly random: Random
  /** Omitted: everything is accepted. */
  readonly bounds?: AcceptBounds
  readonly defaults?: Partial<AcceptDefaults>
  /** Which signers and keys have rules, and rules that limit fees; omitted: none. */
  readonly rules?: Pick<RuleBook, 'binds' | 'countsGas'>
  /** The chain's cap on the fee of one transaction, in wei; null only if an operator set `none`. */
  maxTxFeeOf(chainId: number): bigint | null
}

/** A repeat does not wait longer than this for a node that is slow. */
const PATIENCE_MS = 50

export function createAccept(ports: AcceptPorts): Accept {
  const { signers, chains, intake, clock, random } = ports
  const { places, queue, sharePercent } = ports.bounds ?? NO_BOUNDS
  const defaults: AcceptDefaults = { speed: 'standard', simulate: true, ...ports.defaults }
  const simulate = createSimulation({ ...ports, ...(sharePercent !== undefined && { sharePercent }) })
  const markets = createFeeMarkets({ chains, clock })
  const findRequest = createEarlierRequests(ports)
  for (const result of ['queue_full', 'tenant_limit'])
    ports.telemetry.count('drover_transactions_accepted_total', { result }, 0)

  async function findEarlier(intent: Intent, tenant: Tenant): Promise<Accepted | null> {
    const { lane, requestId, requestDigest } = intent
    if (requestId === null) return null
    const earlier = await findRequest({ lane, requestId, tenant: tenant ?? '' })
    if (earlier === null) return null
    const isDeleted = earlier.state === 'DELETED'
    const digest = isDeleted ? earlier.requestDigest : earlier.intent.requestDigest
    if (digest !== requestDigest) throw conflict(requestId, earlier.id)
    if (isDeleted) throw deleted(requestId, earlier.id)
    return { type: 'existing', transaction: earlier }
  }

  /** If the market cannot be read, the request is still accepted: the lane checks again. */
  async function refuseUnmineable({ lane, fees }: Intent): Promise<void> {
    const market = await markets.read(lane.chainId).catch((error: unknown) => {
      if (error instanceof ChainUnavailable) return null
      throw error
    })
    const reason = market === null ? null : findUnmineable(fees, market)
    if (reason === null) return
    const message = `It could never be mined: ${reason}. Nothing was stored.`
    throw new AppError('transaction_rejected', message, { field: 'fees', outcome: 'invalid', reason })
  }

  /** A repeat gets its answer even if the queue is full. */
  async function enterQueue(intent: Intent, tenant: Tenant): Promise<Accepted | QueuePlace> {
    try {
      return await queue.enter(intent.lane, tenant)
    } catch (error) {
      const twin = error instanceof AppError ? await findEarlier(intent, tenant) : null
      if (twin === null) throw error
      return twin
    }
  }

  async function take(request: AcceptRequest, submit: Intake['submit']): Promise<Accepted> {
    const { tenant = null } = request
    const lane = { chainId: resolveChainId(request.chainId, chains), signer: request.from }
    const intent = formIntent(request, lane, defaults)
    const signer = await signers.find(lane)
    if (signer === null) throw unknownSigner(lane)
    const chainMaxFeeWei = ports.maxTxFeeOf(lane.chainId)
    const tooDear = refuseFees(intent, { chainMaxFeeWei, policy: signer.policy })
    const isLate = intent.validUntil !== null && intent.validUntil <= clock.now()
    const impossible = findImpossible(intent)
    const isTiny = isTinyPrice(intent.fees)
    const isRefused = isLate || tooDear !== null || impossible !== null || request.refusal !== undefined
    // Rules charge what is inserted before they know whether it repeats, and an explicit nonce is judged by its turn.
    const isJudged =
      intent.exactNonce !== undefined || ports.rules?.binds(subjectsOf(lane.signer, request.keyId)) === true
    const earlier = isRefused || isTiny || isJudged ? await findEarlier(intent, tenant) : null
    if (earlier !== null) return earlier
    if (request.refusal !== undefined) throw request.refusal
    if (isLate) {
      throw new AppError('invalid_request', 'validUntil is in the past.', { field: 'validUntil' })
    }
    if (impossible !== null) throw new AppError('invalid_request', impossible, { field: 'notBefore' })
    if (tooDear !== null) throw tooDear
    if (isTiny) await refuseUnmineable(intent)
    const place = await enterQueue(intent, tenant)
    if ('transaction' in place) return place
    let isStored = false
    try {
      const accepted = await store(intent, request, submit)
      isStored = accepted.type === 'accepted'
      return accepted
    } finally {
      if (isStored) place.keep()
      else place.giveBack()
    }
  }

  async function simulateUnlessKnown(intent: Intent, tenant: Tenant): Promise<Simulated | Accepted> {
    const simulation = simulate(intent, tenant).catch((error: unknown): Simulated => {
      if (error instanceof AppError) return { type: 'refused', error }
      throw error
    })
    // If an earlier request is found meanwhile, nobody waits for the simulation any more.
    simulation.catch(() => {})
    const quick = intent.requestId === null ? await simulation : await awaitAtMost(simulation, PATIENCE_MS)
    const known = quick === null || quick.type === 'refused' ? await findEarlier(intent, tenant) : null
    if (known !== null) return known
    const simulated = quick ?? (await simulation)
    if (simulated.type !== 'refused') return simulated
    // The same request may have been accepted, and even mined, while this one was simulated.
    const twin = quick === null ? await findEarlier(intent, tenant) : null
    if (twin !== null) return twin
    throw simulated.error
  }

  /** Null if it takes longer. */
  async function awaitAtMost<T>(work: Promise<T>, ms: number): Promise<T | null> {
    let cancel = (): void => {}
    const late = new Promise<null>((resolve) => {
      cancel = clock.schedule(ms, () => resolve(null))
    })
    try {
      return await Promise.race([work, late])
    } finally {
      cancel()
    }
  }

  async function store(intent: Intent, request: AcceptRequest, submit: Intake['submit']): Promise<Accepted> {
    const { tenant = null, by, keyId } = request
    // What happens later cannot be simulated now: the lane does it before it takes a nonce.
    const isSimulated = intent.simulate && intent.notBefore === undefined
    const simulated = isSimulated ? await simulateUnlessKnown(intent, tenant) : null
    if (simulated !== null && 'transaction' in simulated) return simulated
    const countsGas = ports.rules?.countsGas(subjectsOf(intent.lane.signer, keyId)) === true
    const gas = simulated?.type === 'passed' ? simulated.gas : null
    const feeWei = countsGas ? await estimateFee(intent, gas, markets) : null
    const outcome = await submit({
      id: random.id(clock.now()),
      intent: simulated?.type === 'passed' ? { ...intent, simulated: true } : intent,
      ...(by !== undefined && { by }),
      ...(tenant !== null && { tenant }),
      ...(keyId !== undefined && { keyId }),
      ...(feeWei !== null && { feeWei }),
    })
    switch (outcome.type) {
      case 'inserted':
        return { type: 'accepted', transaction: outcome.transaction }
      case 'existing':
        return { type: 'existing', transaction: outcome.transaction }
      case 'conflict':
        throw conflict(intent.requestId ?? '', outcome.transactionId)
      case 'deleted':
        throw deleted(intent.requestId ?? '', outcome.transactionId)
      case 'unknown_signer':
        throw unknownSigner(intent.lane)
      case 'refused_by_rule': {
        // A repeat gets its first answer, whatever the rules say by now.
        const twin = await findEarlier(intent, tenant)
        if (twin !== null) return twin
        throw refusalError(outcome.refused)
      }
    }
  }

  async function takePlace(request: AcceptRequest, submit: Intake['submit']): Promise<Accepted> {
    const leave = places.enter(request)
    try {
      return await take(request, submit)
    } finally {
      leave()
    }
  }

  return async (request, submit = intake.submit) => {
    let result: string = 'internal'
    try {
      const accepted = await takePlace(request, submit)
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
  if (chainId !== null && chains.has(chainId)) return chainId
  const followed = [...chains.keys()]
  if (chainId === null) {
    const [only] = followed
    if (only !== undefined && followed.length === 1) return only
    const message = `chainId is required because this service follows ${followed.length} chains (${followed.join(', ')}).`
    throw new AppError('invalid_request', message, { field: 'chainId' })
  }
  const message = `This service does not follow chain ${chainId}, only ${followed.join(', ')}.`
  throw new AppError('unknown_chain', message, { field: 'chainId' })
}

function deleted(requestId: string, transactionId: string): AppError {
  const message = `Request id ${JSON.stringify(requestId)} was accepted before, as transaction ${transactionId}. That transaction is finished and has been deleted. Nothing was sent again.`
  return new AppError('transaction_deleted', message, { field: 'requestId', transactionId })
}

function conflict(requestId: string, transactionId: string): AppError {
  const message = `Request id ${JSON.stringify(requestId)} was used before with a different body, by transaction ${transactionId}. Use a new id for a new request.`
  return new AppError('idempotency_conflict', message, { field: 'requestId', transactionId })
}

function unknownSigner(lane: Lane): AppError {
  const message = `${lane.signer} is not registered on chain ${lane.chainId}. Register it first.`
  return new AppError('unknown_signer', message, { field: 'from' })
}
