/**
 * The logs of new blocks under one filter, in block order. Blocks wait in a queue until their logs are read, so a node
 * that does not respond for a while delays logs but loses none. Logs of a block that was reorged away are sent again as
 * removed, as a node does.
 */
import { parseHash } from '../../api/contract/values/bytes.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Forwarder } from '../forwarder.ts'
import { RpcFailure } from '../rpc-failure.ts'
import { HEAD_WINDOW, type HeadFeed, type HeadUpdate, type RawHead } from './head-feed.ts'

interface LogPorts {
  readonly feed: HeadFeed
  readonly forwarder: Forwarder
  readonly clock: Pick<Clock, 'schedule'>
}

export interface LogFilter {
  readonly address?: unknown
  readonly topics?: unknown
}

const RETRY_MS = 500
/** More blocks than this behind, it cannot catch up: the client is notified that it ended, and can subscribe again. */
const MAX_BEHIND = 4 * HEAD_WINDOW
/** The EVM's own limit for a log. */
const MAX_TOPICS = 4

/** Blocks are named by the subscription, so a filter may only say whose logs and which. */
export function parseLogFilter(given: unknown): LogFilter {
  if (given === undefined || given === null) return {}
  if (typeof given !== 'object' || Array.isArray(given))
    throw new RpcFailure('invalid_params', 'the filter must be an object')
  const { address, topics } = given as Readonly<Record<string, unknown>>
  // Checked here, because a node would refuse it with every block, and the client would not find out.
  if (address != null && ![address].flat().every(isAddress)) {
    throw new RpcFailure(
      'invalid_params',
      'address must be an address or a list of them, each 0x followed by 40 hex digits',
    )
  }
  if (topics != null && !(Array.isArray(topics) && topics.length <= MAX_TOPICS && topics.every(isTopicChoice))) {
    throw new RpcFailure(
      'invalid_params',
      `topics must be a list of at most ${MAX_TOPICS}, each null, 0x and 64 hex digits, or a list of such`,
    )
  }
  return { ...(address != null && { address }), ...(topics != null && { topics }) }
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)
}

function isTopicChoice(choice: unknown): boolean {
  return [choice].flat().every((topic) => topic === null || parseHash(topic) !== null)
}

export function followLogs(
  { feed, forwarder, clock }: LogPorts,
  filter: LogFilter,
  on: { log(log: unknown): void; lost(): void },
): () => void {
  /** Logs that were sent, by block, so they can be sent again as removed. */
  const told = new Map<string, readonly object[]>()
  let queue: readonly RawHead[] = []
  let isReading = false
  let isOver = false
  let cancelRetry = (): void => {}

  function take({ removed, added }: HeadUpdate): void {
    for (const { hash } of removed) {
      for (const log of [...(told.get(hash) ?? [])].reverse()) on.log({ ...log, removed: true })
      told.delete(hash)
    }
    const gone = new Set(removed.map(({ hash }) => hash))
    queue = [...queue.filter(({ hash }) => !gone.has(hash)), ...added]
    if (queue.length > MAX_BEHIND) {
      stop()
      on.lost()
    } else void read()
  }

  async function read(): Promise<void> {
    if (isReading) return
    isReading = true
    cancelRetry()
    for (let [block] = queue; block !== undefined && !isOver; [block] = queue) {
      const logs = await readLogs(block)
      if (logs === null) {
        cancelRetry = clock.schedule(RETRY_MS, () => void read())
        break
      }
      // It may have left the chain while its logs were read.
      if (queue[0] !== block || isOver) continue
      queue = queue.slice(1)
      push(block, logs)
    }
    isReading = false
  }

  async function readLogs({ hash }: RawHead): Promise<readonly object[] | null> {
    const [answer] = await forwarder.forwardEach([{ method: 'eth_getLogs', params: [{ ...filter, blockHash: hash }] }])
    return answer?.status === 'fulfilled' && Array.isArray(answer.value) ? answer.value : null
  }

  function push({ hash }: RawHead, logs: readonly object[]): void {
    for (const log of logs) on.log(log)
    if (logs.length > 0) told.set(hash, logs)
    const [oldest] = told.keys()
    if (told.size > HEAD_WINDOW && oldest !== undefined) told.delete(oldest)
  }

  function stop(): void {
    isOver = true
    cancelRetry()
    unlisten()
  }

  const unlisten = feed.listen(take)
  return stop
}
