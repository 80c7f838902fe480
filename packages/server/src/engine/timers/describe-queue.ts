/** What would fire at the next block, in order, and what blocks the rest. */
import { listQueue, paramsAt, type QueuedTimer, type TimerParams } from '@drover/timers'
import { storeParams } from './evm-params.ts'
import type { HostState } from './host-state.ts'

export type HeldBy = 'target_quota' | 'block_quota' | 'gas' | null

export interface QueueItem {
  readonly kernelId: string
  readonly owner: string
  readonly target: string
  readonly dueHeight: number
  readonly waitedBlocks: number
  readonly score: string
  readonly bid: string
  readonly gasLimit: string
  /** 0: first of its target. Every target's first comes before any target's second. */
  readonly turn: number
  readonly targetLastFired: number
  readonly heldBy: HeldBy
}

export interface QueueDetail {
  readonly height: number
  readonly items: readonly QueueItem[]
  readonly params: { readonly maxFiresPerBlock: number; readonly maxFiresPerTarget: number; readonly gas: string }
  readonly live: number
  /** The parameters and those of the next epoch, as `storeParams` has them. Absent: written by an earlier version. */
  readonly schedule?: unknown
}

/** As many as are published: more are shown nowhere. */
const QUEUE_LENGTH = 200

const MANY = 2 ** 31

export function describeQueue(host: HostState): QueueDetail {
  const height = host.kernel.height + 1n
  const params = paramsAt(host.params, height)
  // All of a target's timers are shown, even those past its quota; the order is the same.
  const queue = listQueue(host.kernel, height, { ...params, maxFiresPerTarget: MANY }, QUEUE_LENGTH)
  const hold = createHolder(params)
  return {
    height: Number(height),
    items: queue.map((queued) => present(queued, hold(queued))),
    params: {
      maxFiresPerBlock: params.maxFiresPerBlock,
      maxFiresPerTarget: perTarget(params),
      gas: params.timerLaneCycles.toString(),
    },
    live: host.kernel.timers.size,
    schedule: storeParams(host.params),
  }
}

/** No target is its own signer, so all timers count as foreign and share half of the target's quota. */
function perTarget({ maxFiresPerTarget }: TimerParams): number {
  return Math.ceil(maxFiresPerTarget / 2)
}

function createHolder(params: TimerParams): (queued: QueuedTimer) => HeldBy {
  let fires = 0
  let gas = 0n
  let isFull = false
  return ({ turn, timer }) => {
    if (turn >= perTarget(params)) return 'target_quota'
    if (isFull) return 'gas'
    if (fires >= params.maxFiresPerBlock) return 'block_quota'
    if (gas + timer.gasLimit > params.timerLaneCycles) {
      isFull = true
      return 'gas'
    }
    fires += 1
    gas += timer.gasLimit
    return null
  }
}

function present({ timer, turn, score, targetLastFired, waitedBlocks }: QueuedTimer, heldBy: HeldBy): QueueItem {
  return {
    kernelId: timer.timerId,
    owner: timer.owner,
    target: timer.target,
    dueHeight: Number(timer.dueHeight),
    waitedBlocks: Number(waitedBlocks),
    score: score.toString(),
    bid: timer.bidFp.toString(),
    gasLimit: timer.gasLimit.toString(),
    turn,
    targetLastFired: Number(targetLastFired),
    heldBy,
  }
}
