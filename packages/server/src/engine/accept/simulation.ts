/**
 * Simulates a call before it is accepted. Calls of a tenant that arrive within the same few milliseconds go to the chain
 * together, at the pace of that tenant: calls that take a node long delay only the next calls of whoever sent them. If a
 * node cannot run a call in time, the request is still accepted: the lane simulates again before it takes a nonce.
 */
import { AppError } from '../../core/app-error.ts'
import type { Intent } from '../../core/transaction/transaction.ts'
import { type Call, type CallOutcome, type Chain, ChainUnavailable, type HeadRef } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createFairTurns } from '../tenants/fair-turns.ts'
import type { Tenant } from '../tenants/tenant-pool.ts'
import { NO_PACE, type UpstreamPace } from '../tenants/upstream-pace.ts'
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
  /** How much of a chain's node each tenant may use; left out: whatever fits. */
  paceOf?(chainId: number): UpstreamPace | undefined
  /** The followed head: a failure is certain only there. */
  headOf(chainId: number): HeadRef | null
  /** A slow node must not delay a call that can be simulated later. */
  readonly simulationTimeoutMs: number
}

const BATCHING = { lingerMs: 3, maxBatch: 100, maxRunning: 4, maxWaiting: 5_000 }
/** Requests to a chain at one time. A tenant has its share of them. */
const MAX_REQUESTS = 8

/** As many as the running batches can take. Later calls wait for a fair turn instead of in one queue. */
const TURNS = { what: 'simulations', maxRunning: BATCHING.maxBatch * BATCHING.maxRunning, maxWaiting: 10_000 }

export function createSimulation(ports: SimulationPorts): Simulate {
  const { chains, clock, telemetry, simulationTimeoutMs: deadlineMs, sharePercent } = ports
  const turns = createFairTurns({ ...TURNS, sharePercent, whenFull })
  const expire = () => new ChainUnavailable(`no simulation within ${deadlineMs} ms`)
  const lines = new Map([...chains.values()].map((chain) => [chain.chainId, createLines(chain)]))

  /** Of one chain: each tenant with calls has a line of its own. */
  function createLines(chain: Chain): (tenant: Tenant, call: Call) => Promise<CallOutcome> {
    const { chainId } = chain
    const pace = ports.paceOf?.(chainId) ?? NO_PACE
    const requests = createFairTurns({
      what: 'simulations',
      maxRunning: MAX_REQUESTS,
      maxWaiting: TURNS.maxWaiting,
      sharePercent,
      clock,
      most: pace.requestsOf,
      whenFull,
    })
    const open = new Map<Tenant, { readonly batcher: Batcher<Call, CallOutcome>; calls: number }>()

    async function run(tenant: Tenant, batch: readonly Pending<Call, CallOutcome>[]): Promise<void> {
      const left = [...batch]
      while (left.length > 0)
        await requests.run(tenant, async (rest) => {
          let part: readonly Pending<Call, CallOutcome>[] = []
          const ask = async (): Promise<void> => {
            part = takeUnsettled(left, pace.callsOf(tenant))
            if (part.length > 0) await estimate(chain, part, ports.headOf(chainId))
          }
          const { restMs } = await pace.run(tenant, ask, () => part.length > 0)
          rest(restMs)
        })
    }

    function openLine(tenant: Tenant) {
      const line = open.get(tenant) ?? {
        batcher: createBatcher({ clock, ...BATCHING, deadlineMs, expire, run: (batch) => run(tenant, batch) }),
        calls: 0,
      }
      open.set(tenant, line)
      return line
    }

    return async (tenant, call) => {
      const line = openLine(tenant)
      line.calls += 1
      try {
        return await line.batcher.add(call)
      } finally {
        line.calls -= 1
        if (line.calls === 0) open.delete(tenant)
      }
    }
  }

  async function run(tenant: Tenant, intent: Intent): Promise<CallOutcome> {
    const { lane, to, data, value, gasLimit, accessList } = intent
    const add = lines.get(lane.chainId)
    if (add === undefined) throw new Error(`unknown chain ${lane.chainId}`)
    try {
      const call = { from: lane.signer, to, data, value, gasLimit, ...(accessList !== undefined && { accessList }) }
      return await add(tenant, call)
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      return { type: 'unknown', message: error.message }
    }
  }

  return async (intent, tenant = null) => {
    const outcome = await turns.run(tenant, () => run(tenant, intent))
    if (outcome.type === 'ok') return { type: 'passed', gas: outcome.gas }
    if (outcome.type !== 'unknown' && outcome.atLatest !== true)
      return { type: 'refused', error: describeRejection(outcome) }
    const error = outcome.type === 'unknown' ? outcome.message : 'it failed on an RPC node that may be behind'
    telemetry.log('warn', 'accepted without simulation', { chainId: intent.lane.chainId, error })
    return { type: 'skipped' }
  }
}

/** The next of them, without those whose time is over: nobody waits for them. */
function takeUnsettled<T extends { isSettled(): boolean }>(left: T[], most: number): readonly T[] {
  const taken: T[] = []
  while (left.length > 0 && taken.length < most) {
    const next = left.shift()
    if (next !== undefined && !next.isSettled()) taken.push(next)
  }
  return taken
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
