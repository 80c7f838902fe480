/**
 * Acceptance of an intent, on any node: nothing is promised before it is durable.
 *
 * The order matters. A repeat of an earlier request is recognised before anything is asked of the chain, since it must
 * get its first answer even where the same call would fail by now. Then the call is simulated: a certain failure is
 * refused here and takes neither a row nor a nonce. A node that cannot run the simulation is no reason to turn the caller
 * away, because the lane simulates again before it takes a nonce; so the intent is accepted and durable first.
 */
import { AppError } from '../core/app-error.ts'
import type { Lane } from '../core/lane.ts'
import type { Intent, Transaction } from '../core/transaction.ts'
import type { Chain } from '../ports/chain.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type AcceptDefaults, type AcceptRequest, formIntent } from './accept-request.ts'
import { createEarlierRequests } from './earlier-requests.ts'
import { refuseFees } from './fees/refuse-fees.ts'
import type { Intake } from './intake.ts'
import type { KnownSigners } from './known-signers.ts'
import { createSimulation } from './simulation.ts'

export interface Accepted {
  /** `existing`: the same request was accepted before, and this is what became of it. */
  readonly type: 'accepted' | 'existing'
  readonly transaction: Transaction
}

/** `submit` stands in for the intake's, where several requests are to be stored together. */
export type Accept = (request: AcceptRequest, submit?: Intake['submit']) => Promise<Accepted>

interface AcceptPorts {
  readonly store: Pick<Store, 'findRequests'>
  readonly signers: KnownSigners
  readonly chains: ReadonlyMap<number, Chain>
  readonly intake: Pick<Intake, 'submit'>
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
  readonly defaults?: Partial<AcceptDefaults>
  /** The chain's cap on the fee of one transaction, in wei; null only where an operator wrote `none`. */
  maxTxFeeOf(chainId: number): bigint | null
}

export function createAccept(ports: AcceptPorts): Accept {
  const { signers, chains, intake, clock, random } = ports
  const defaults: AcceptDefaults = { speed: 'standard', simulate: true, ...ports.defaults }
  const simulate = createSimulation(ports)
  const findRequest = createEarlierRequests(ports)

  async function findEarlier({ lane, requestId, requestDigest }: Intent): Promise<Accepted | null> {
    if (requestId === null) return null
    const earlier = await findRequest({ lane, requestId })
    if (earlier === null) return null
    if (earlier.intent.requestDigest !== requestDigest) throw conflict(requestId, earlier.id)
    return { type: 'existing', transaction: earlier }
  }

  async function take(request: AcceptRequest, submit: Intake['submit']): Promise<Accepted> {
    const lane = { chainId: resolveChainId(request.chainId, chains), signer: request.from }
    const intent = formIntent(request, lane, defaults)
    const signer = await signers.find(lane)
    if (signer === null) throw unknownSigner(lane)
    const chainMaxFeeWei = ports.maxTxFeeOf(lane.chainId)
    const tooDear = refuseFees(intent, { chainMaxFeeWei, policy: signer.policy })
    const isLate = intent.validUntil !== null && intent.validUntil <= clock.now()
    // The insert recognises a repeat by itself; looking first is only for what would refuse it before it gets there.
    const earlier = intent.simulate || isLate || tooDear !== null ? await findEarlier(intent) : null
    if (earlier !== null) return earlier
    if (isLate) {
      throw new AppError('invalid_request', 'validUntil has passed already.', { field: 'validUntil' })
    }
    if (tooDear !== null) throw tooDear
    const rejection = intent.simulate ? await simulate(intent) : null
    if (rejection !== null) {
      // Its twin may have been accepted, and even mined, while this one was simulated.
      const twin = await findEarlier(intent)
      if (twin !== null) return twin
      throw rejection
    }
    const outcome = await submit({
      id: random.id(clock.now()),
      intent,
      ...(request.by !== undefined && { by: request.by }),
    })
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

  return async (request, submit = intake.submit) => {
    let result: string = 'internal'
    try {
      const accepted = await take(request, submit)
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

function conflict(requestId: string, transactionId: string): AppError {
  const message = `Request id ${JSON.stringify(requestId)} was used before with another body, by transaction ${transactionId}; use a new one for a new request.`
  return new AppError('idempotency_conflict', message, { field: 'requestId', transactionId })
}

function unknownSigner(lane: Lane): AppError {
  const message = `${lane.signer} is not a signer on chain ${lane.chainId}; register it first.`
  return new AppError('unknown_signer', message, { field: 'from' })
}
