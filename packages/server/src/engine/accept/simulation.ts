/**
 * Simulates a call before it is accepted. Calls that arrive within the same few milliseconds go to the chain as one
 * batch. If a node cannot run them, the request is still accepted: the lane simulates again before it takes a nonce.
 */
import { AppError } from '../../core/app-error.ts'
import type { Intent } from '../../core/transaction/transaction.ts'
import { type Call, type CallOutcome, type Chain, ChainUnavailable, type HeadRef } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createFairTurns } from '../tenants/fair-turns.ts'
import type { Tenant } from '../tenants/tenant-pool.ts'
import { type Batcher, createBatcher, type Pending } from '../write/batcher.ts'

export type Simulated =
  /** It ran, and nothing is wrong with it. */
  | { readonly type: 'passed'; readonly gas: bigint }
  | { readonly type: 'refused'; readonly error: AppError }
  /** No node could run it in time, or none that is known to be up to date. */
  | { readonly type: 'skipped' }

export type Simulate = (intent: Intent, tenant?: Tenant) => Promise<Simulated>

export interface SimulationPorts {
  readonly chains: ReadonlyMap<number, Chain>
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** One tenant's share of the simulations that run or wait at once. */
  readonly sharePercent?: number
  /** The followed head: a failure is certain only there. */
  headOf(chainId: number): HeadRef | null
  /** A slow node must not delay a call that can be simulated later. */
  readonly simulationTimeoutMs: number
}

const BATCHING = { lingerMs: 3, maxBatch: 100, maxRunning: 4, maxWaiting: 5_000 }

/** As many as the running batches can take. Later calls wait for a fair turn instead of in one queue. */
const TURNS = { what: 'simulations', maxRunning: BATCHING.maxBatch * BATCHING.maxRunning, maxWaiting: 10_000 }

export function createSimulation(ports: SimulationPorts): Simulate {
  const { chains, clock, telemetry, simulationTimeoutMs: deadlineMs, sharePercent } = ports
  const turns = createFairTurns({ ...TURNS, sharePercent, whenFull })
  const batchers = new Map<number, Batcher<Call, CallOutcome>>()
  for (const [chainId, chain] of chains) {
    const expire = () => new ChainUnavailable(`no simulation within ${deadlineMs} ms`)
    const run = (batch: readonly Pending<Call, CallOutcome>[]) => estimate(chain, batch, ports.headOf(chainId))
    batchers.set(chainId, createBatcher({ clock, ...BATCHING, deadlineMs, expire, run }))
  }

  async function run({ lane, to, data, value, gasLimit, accessList }: Intent): Promise<CallOutcome> {
    const batcher = batchers.get(lane.chainId)
    if (batcher === undefined) throw new Error(`unknown chain ${lane.chainId}`)
    try {
      const call = { from: lane.signer, to, data, value, gasLimit, ...(accessList !== undefined && { accessList }) }
      return await batcher.add(call)
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      return { type: 'unknown', message: error.message }
    }
  }

  return async (intent, tenant = null) => {
    const outcome = await turns.run(tenant, () => run(intent))
    if (outcome.type === 'ok') return { type: 'passed', gas: outcome.gas }
    if (outcome.type !== 'unknown' && outcome.atLatest !== true)
      return { type: 'refused', error: describeRejection(outcome) }
    const error = outcome.type === 'unknown' ? outcome.message : 'it failed on an RPC node that may be behind'
    telemetry.log('warn', 'accepted without simulation', { chainId: intent.lane.chainId, error })
    return { type: 'skipped' }
  }
}

function whenFull(): AppError {
  const message = 'Too many requests are waiting to be simulated. Nothing was stored. Retry after the time given.'
  return new AppError('queue_full', message, { retryAfterMs: 1_000 })
}

async function estimate(
  chain: Chain,
  batch: readonly Pending<Call, CallOutcome>[],
  head: HeadRef | null,
): Promise<void> {
  const outcomes = await chain.estimate(
    batch.map((entry) => entry.item),
    head,
  )
  for (const [index, entry] of batch.entries()) {
    const outcome = outcomes[index]
    if (outcome === undefined) entry.reject(new ChainUnavailable('the node left out a simulation'))
    else entry.resolve(outcome)
  }
}

function describeRejection(outcome: Exclude<CallOutcome, { type: 'ok' | 'unknown' }>): AppError {
  const hint = 'Nothing was stored. If it depends on transactions that are not mined yet, send it with simulate: false.'
  switch (outcome.type) {
    case 'reverted':
      return new AppError('transaction_rejected', `It would revert: ${outcome.reason}. ${hint}`, {
        outcome: outcome.type,
        reason: outcome.reason,
        revertData: outcome.data,
      })
    case 'insufficient_funds':
    case 'invalid':
      return new AppError('transaction_rejected', `The chain would refuse it: ${outcome.message}. ${hint}`, {
        outcome: outcome.type,
        reason: outcome.message,
      })
  }
}
