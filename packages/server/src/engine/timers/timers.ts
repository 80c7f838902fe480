/**
 * Timers as callers use them. Any node accepts a request. Only the node that runs the chain's timers decides on it, so
 * the request becomes a command and this waits for the answer. A request that was not answered in time stays, and so
 * does its outcome.
 */
import { voteParams } from '@drover/timers'
import { AppError } from '../../core/app-error.ts'
import type { ChainView } from '../../core/chain/finality.ts'
import type { Hash, Hex } from '../../core/hex.ts'
import type { Fire, ManagedTimer, TimerId, TimerSpec } from '../../core/timer/timer.ts'
import type { ParamChange } from '../../core/timer/timer-command.ts'
import type { CallOutcome, Chain } from '../../ports/chain.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { FirePage, TimerFilter, TimerRequestKey, TimerStore } from '../../ports/timer-store.ts'
import type { KnownSigners } from '../accept/known-signers.ts'
import { createTimerOwner, tooMany } from './ask-owner.ts'
import { createTimerChanges, type TimerChanges } from './change-timer.ts'
import { describeQueue, type QueueDetail } from './describe-queue.ts'
import { createEvmParams, readParamChange, restoreParams } from './evm-params.ts'
import { createHostState } from './host-state.ts'
import { createSchedules, type WantedSchedule } from './resolve-schedule.ts'
import { shareCalls } from './share-calls.ts'
import { conflictOf, explainRefusal } from './timer-errors.ts'
import { createTimerLimits } from './timer-limits.ts'

export type NewTimer = Omit<TimerSpec, 'chainId' | 'schedule' | 'gasLimit' | 'maxFeeWei'> & {
  readonly chainId: number | null
  readonly schedule: WantedSchedule
  /** Null: the gas that the call takes now, plus half. */
  readonly gasLimit: bigint | null
  readonly name: string | null
  readonly requestId: string | null
  /** Of the whole request, without the request id. */
  readonly digest: Hash
  readonly metadata: Readonly<Record<string, string>>
  readonly by: string
  readonly tenant: string
  readonly maxFeeWei: bigint | null
}

export interface TimerQueue extends Omit<QueueDetail, 'items'> {
  readonly items: readonly (QueueDetail['items'][number] & { readonly timerId: TimerId | null })[]
}

export interface Timers extends TimerChanges {
  create(wanted: NewTimer): Promise<{ readonly type: 'created' | 'existing'; readonly timer: ManagedTimer }>
  get(id: TimerId): Promise<ManagedTimer>
  list(
    filter: TimerFilter,
    page: { readonly before: number | null; readonly limit: number },
  ): Promise<readonly ManagedTimer[]>
  listFires(id: TimerId, page: FirePage): Promise<readonly Fire[]>
  /** What would fire next, in order, and what blocks the rest. */
  queue(chainId: number | null, limit: number): Promise<TimerQueue>
  /** Takes effect at the first block of the next epoch. */
  changeParams(
    chainId: number | null,
    change: ParamChange,
  ): Promise<{ readonly fromHeight: number; readonly params: unknown }>
  close(): void
}

interface TimersPorts {
  readonly store: TimerStore
  readonly notices: Pick<Store, 'listen'>
  readonly signers: Pick<KnownSigners, 'find'>
  readonly chains: ReadonlyMap<number, { readonly chain: Pick<Chain, 'estimate'>; readonly blockTimeMs: number }>
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly maxPerTenant: number
  readonly maxPerSigner: number
  readonly timeoutMs?: number
  viewOf(chainId: number): ChainView | null
}

/** As many bytes as the id of a fire has. Bytes that are not zero cost the most. */
const ANY_DELIVER_ID = 'ff'.repeat(32)

const LOOKUP = { maxBatch: 500, maxWaiting: 5_000, refuse: tooMany }

export function createTimers(ports: TimersPorts): Timers {
  const { store, clock, random } = ports
  const schedules = createSchedules(ports)
  const checkLimits = createTimerLimits(ports)
  const owner = createTimerOwner(ports)
  const { ask } = owner
  const findMade = shareCalls<TimerId, ManagedTimer | null>({
    ...LOOKUP,
    run: async (ids) => {
      const found = new Map((await store.findTimers(ids)).map((timer) => [timer.id, timer]))
      return ids.map((id) => found.get(id) ?? null)
    },
  })
  const findEarlier = shareCalls<TimerRequestKey, ManagedTimer | null>({ ...LOOKUP, run: store.findTimersByRequest })

  async function get(id: TimerId): Promise<ManagedTimer> {
    const timer = await store.findTimer(id)
    if (timer === null) throw new AppError('not_found', `There is no timer ${id}.`, { field: 'id' })
    return timer
  }

  function resolveChain(chainId: number | null): number {
    const followed = [...ports.chains.keys()]
    const only = followed.length === 1 ? followed[0] : undefined
    const id = chainId ?? only
    if (id === undefined)
      throw new AppError(
        'invalid_request',
        `chainId is required because this service follows ${followed.length} chains.`,
        {
          field: 'chainId',
        },
      )
    if (!ports.chains.has(id))
      throw new AppError('unknown_chain', `This service does not follow chain ${id}.`, { field: 'chainId' })
    return id
  }

  async function formSpec(wanted: NewTimer, chainId: number): Promise<TimerSpec> {
    const { owner, target, data, bid, value, when, overlap, appendDeliverId, maxFailures, onLowFunds, maxFeeWei } =
      wanted
    const signer = await ports.signers.find({ chainId, signer: owner })
    if (signer === null)
      throw new AppError('unknown_signer', `${owner} is not registered on chain ${chainId}. Register it first.`, {
        field: 'from',
      })
    const schedule = schedules.resolve(wanted.schedule, chainId)
    const gasLimit = wanted.gasLimit ?? (await estimateGas(wanted, chainId))
    const rules = { when, overlap, appendDeliverId, maxFailures, onLowFunds, maxFeeWei }
    return { chainId, owner, target, schedule, data, gasLimit, bid, value, ...rules }
  }

  async function estimateGas(wanted: NewTimer, chainId: number): Promise<bigint> {
    const { owner, target, value, appendDeliverId } = wanted
    // A contract that checks the id of the fire reverts without one.
    const data: Hex = appendDeliverId ? `${wanted.data}${ANY_DELIVER_ID}` : wanted.data
    const call = { from: owner, to: target, data, value, gasLimit: null }
    const head = ports.viewOf(chainId)?.head ?? null
    const [outcome] = (await ports.chains.get(chainId)?.chain.estimate([call], head)) ?? []
    if (outcome?.type === 'ok') return (outcome.gas * 3n) / 2n
    const reason = explainOutcome(outcome)
    throw new AppError('invalid_request', `gasLimit is required because the call cannot be estimated: ${reason}.`, {
      field: 'gasLimit',
    })
  }

  /** What is certainly wrong is not stored for the node that runs the timers. That node checks it again. */
  async function refuseParams(chainId: number, change: Readonly<Record<string, unknown>>): Promise<void> {
    const detail = (await store.readQueue(chainId))?.queue as QueueDetail | null | undefined
    const current = detail?.schedule === undefined ? createEvmParams() : restoreParams(detail.schedule)
    const outcome = voteParams(current, BigInt(detail?.height ?? 0), change)
    if (outcome.type === 'refused') throw explainRefusal(outcome)
  }

  async function set(timerId: TimerId, wanted: NewTimer, chainId: number) {
    const spec = await formSpec(wanted, chainId)
    const { tenant, name, requestId, digest: requestDigest, metadata, by } = wanted
    const label = { tenant, name, requestId, requestDigest, metadata, by }
    return await ask(chainId, { type: 'set', timerId, spec, label })
  }

  async function create(wanted: NewTimer) {
    const chainId = resolveChain(wanted.chainId)
    const { requestId, tenant } = wanted
    const earlier = requestId === null ? null : await findEarlier({ chainId, tenant, requestId })
    if (earlier !== null) {
      if (earlier.requestDigest !== wanted.digest) throw conflictOf(requestId ?? '', earlier.id)
      return { type: 'existing', timer: earlier } as const
    }
    const close = await checkLimits(chainId, wanted)
    const timerId = random.id(clock.now())
    const { command } = await set(timerId, wanted, chainId).finally(close)
    const made = command.type === 'set' ? command.timerId : timerId
    const timer = (await findMade(made)) ?? (await get(made))
    return { type: made === timerId ? 'created' : 'existing', timer } as const
  }

  return {
    create,
    get,
    list: (filter, page) => store.listTimers(filter, page),
    listFires: async (id, page) => {
      await get(id)
      return store.listFires(id, page)
    },
    ...createTimerChanges({ schedules, get, ask }),
    queue: async (chainId, limit) => {
      const resolved = resolveChain(chainId)
      const stored = await store.readQueue(resolved)
      const next = (ports.viewOf(resolved)?.head.number ?? 0) + 1
      if (stored === null) return { ...describeQueue(createHostState(resolved)), height: next, items: [] }
      const detail = stored.queue as QueueDetail | null
      // Only a node of an earlier version leaves a queue that is not of the last block.
      if (detail?.height !== stored.tip.height + 1)
        throw new AppError(
          'timers_unavailable',
          'The node that runs the timers has not published its queue yet. Retry.',
        )
      // Without timers, blocks pass unread.
      if (detail.live === 0 && !stored.hasObserved)
        return { ...detail, height: Math.max(detail.height, next), items: [] }
      const items = detail.items.slice(0, limit)
      const timers = await store.findTimersByKernelId(items.map(({ kernelId }) => kernelId as Hash))
      const ids = new Map<string, TimerId>(timers.map(({ kernelId, id }) => [kernelId, id]))
      return { ...detail, items: items.map((item) => ({ ...item, timerId: ids.get(item.kernelId) ?? null })) }
    },
    changeParams: async (chainId, change) => {
      const resolved = resolveChain(chainId)
      await refuseParams(resolved, readParamChange(change))
      const { answer } = await ask(resolved, { type: 'params', change })
      return answer.detail as { readonly fromHeight: number; readonly params: unknown }
    },
    close: owner.close,
  }
}

function explainOutcome(outcome: CallOutcome | undefined): string {
  if (outcome?.type === 'reverted') return `it reverts now: ${outcome.reason}`
  return outcome?.type === 'insufficient_funds'
    ? `the signer has too little: ${outcome.message}`
    : 'no RPC node could run it'
}
