/**
 * Optional: shards of a delivery in worker threads (R24), for Node only. Nothing else in this package imports it.
 *
 * Each worker keeps the timers of its targets and their ready index; the main thread keeps the whole state, matches
 * watches, and merges. A delivery sends each worker what changed since the last one, then pulls candidates in batches
 * until the block is full, so a worker never sends its backlog. The result equals `deliver` to the byte. The same file
 * runs on both sides: loaded in a worker it serves a shard.
 *
 * Workers answer in turn and hold what they were told before, so deliveries go one at a time, and after a failure the
 * workers no longer agree on the past: the pool then refuses to go on.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { compareHex } from '../kernel/bytes/hex.ts'
import { assembleDelivery, checkBlock, type DeliverBlock, type Delivery } from '../kernel/deliver/deliver.ts'
import { mergeShards } from '../kernel/ready/merge-shards.ts'
import { createFireSelector, type FireSelector } from '../kernel/ready/select-fires.ts'
import { createTimerState, type TimerState } from '../kernel/state/timer-state.ts'
import { matchWatches, type WatchMatches } from '../kernel/watch/match-watches.ts'
import { serveShard } from './serve-shard.ts'
import { type ShardReply, type ShardRequest, splitChanges } from './shard-request.ts'

const ROLE = 'drover-timer-shard'

export interface WorkerShards {
  /** Like `deliver`; one at a time. */
  deliver(state: TimerState, block: DeliverBlock): Promise<Delivery>
  close(): Promise<void>
}

export interface WorkerShardsOptions {
  readonly shards: number
  /** What each worker loads, where this file itself cannot be; it must import this file. */
  readonly entry?: URL
}

export function createWorkerShards({ shards, entry = new URL(import.meta.url) }: WorkerShardsOptions): WorkerShards {
  const workers = Array.from({ length: shards }, () => new Worker(entry, { workerData: ROLE }))
  let synced: TimerState | null = null
  let status: 'idle' | 'delivering' | 'broken' = 'idle'

  async function deliver(state: TimerState, block: DeliverBlock, matches: WatchMatches): Promise<Delivery> {
    const { height, params } = block
    const woken = [...matches.woken].sort((a, b) => compareHex(a[0], b[0]))
    const seen = { ...state, timers: state.timers.setMany(woken) }
    const known = synced !== null && (synced.targets === null) === (state.targets === null) ? synced : null
    const requests = splitChanges(known ?? blankLike(state), seen, { height, params, fresh: known === null }, shards)
    synced = seen
    const opened = await Promise.all(requests.map((request, shard) => ask(workers[shard], request)))
    const selector = createFireSelector(params, block.funds ?? null)
    await offerBatches(workers, opened, selector)
    const evictions = opened.flatMap((reply) => reply.evictions)
    evictions.sort((a, b) => compareHex(a.target, b.target) || compareHex(a.timerId, b.timerId))
    return assembleDelivery(state, block, { matches, candidates: { ready: null, evictions }, selector })
  }

  return {
    async deliver(state, block) {
      checkBlock(state, block, shards)
      const matches = matchWatches(state, block.height, block.modifiedKeys, block.params)
      if (status !== 'idle') throw new Error(`cannot deliver: the worker shards are ${status}`)
      status = 'delivering'
      try {
        const delivery = await deliver(state, block, matches)
        status = 'idle'
        return delivery
      } finally {
        if (status === 'delivering') status = 'broken'
      }
    },
    async close() {
      status = 'broken'
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}

/** Merges the shards' candidates, asking a worker for more whenever its batch is used up. */
async function offerBatches(
  workers: readonly Worker[],
  opened: readonly ShardReply[],
  selector: FireSelector,
): Promise<void> {
  const batches = opened.map(({ batch }) => batch)
  const merge = mergeShards(workers.length)
  let step = merge.next()
  while (!step.done) {
    if (step.value.type === 'candidate') {
      if (!selector.offer(step.value.candidate)) return
      step = merge.next([])
      continue
    }
    const { shard } = step.value
    const ready = batches[shard] ?? []
    batches[shard] = []
    step = merge.next(ready.length > 0 ? ready : (await ask(workers[shard], { type: 'pull' })).batch)
  }
}

/** One request, one reply; a worker that exits instead is an error, not an endless wait. */
function ask(worker: Worker | undefined, request: ShardRequest): Promise<ShardReply> {
  if (worker === undefined || worker.threadId === -1) throw new Error("a shard's worker has ended")
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off('message', answer)
      worker.off('error', fail)
      worker.off('exit', end)
    }
    const answer = (reply: ShardReply) => {
      settle()
      resolve(reply)
    }
    const fail = (error: Error) => {
      settle()
      reject(error)
    }
    const end = (code: number) => fail(new Error(`a shard's worker ended with code ${code}`))
    worker.once('message', answer)
    worker.once('error', fail)
    worker.once('exit', end)
    worker.postMessage(request)
  })
}

function blankLike(state: TimerState): TimerState {
  return createTimerState({ chainId: state.chainId, targets: state.targets === null ? 'any' : 'known' })
}

if (!isMainThread && workerData === ROLE && parentPort !== null) serveShard(parentPort)
