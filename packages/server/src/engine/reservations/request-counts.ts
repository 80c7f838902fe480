/**
 * The account's counts that answers to requests depend on, read outside the cycles. They serve one decision: the next
 * one reads them again.
 */
import { type ChainView, type Finality, finalHeight } from '../../core/chain/finality.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { type AccountCounts, readCounts } from '../chain-counts/read-counts.ts'

/** `head`: the block that was followed when they were read; they are not older than it. Null: none was. */
export interface CountsSince extends AccountCounts {
  readonly head: number | null
}

export interface RequestCounts {
  current(): CountsSince | null
  /**
   * Null if the current counts may be older than the known blocks. Freeing a nonce, or moving the cursor back, must not
   * rely on those: a used nonce would be given out again.
   */
  anchored(): CountsSince | null
  /** Reads them, unless a read is running; they return as a signal. */
  ask(view: ChainView | null, needsFinal: boolean): void
  /** They are being read, and the last read succeeded. */
  areComing(): boolean
  /** They have arrived. */
  set(counts: CountsSince): void
  clear(): void
  /** The cycle that should have taken the answer may have failed. */
  forgetAsked(): void
}

interface CountPorts {
  readonly lane: Lane
  readonly chain: Pick<Chain, 'getTransactionCount'>
  readonly clock: Pick<Clock, 'schedule'>
  readonly telemetry: Telemetry
  readonly retryMs: number
  finality(): Finality
  post(signal: { readonly type: 'counts'; readonly counts: CountsSince } | { readonly type: 'asked' }): void
}

export function createRequestCounts(ports: CountPorts): RequestCounts {
  const { chain, lane, clock, telemetry, post } = ports
  let counts: CountsSince | null = null
  let asking = false
  let hasFailed = false

  async function read(view: ChainView | null, needsFinal: boolean): Promise<CountsSince> {
    const head = view?.head.number ?? null
    return {
      head,
      ...(await readCounts(chain, lane.signer, {
        head,
        mustHaveHead: true,
        latest: true,
        finalHeight: view !== null && needsFinal ? finalHeight(view, ports.finality()) : null,
      })),
    }
  }

  return {
    current: () => counts,
    anchored: () => (counts?.head === null ? null : counts),
    ask: (view, needsFinal) => {
      if (asking) return
      asking = true
      read(view, needsFinal).then(
        (seen) => post({ type: 'counts', counts: seen }),
        (error: unknown) => {
          asking = false
          hasFailed = true
          const message = 'could not read the transaction counts of an account; retrying'
          telemetry.log('warn', message, { chainId: lane.chainId, signer: lane.signer, error })
          clock.schedule(ports.retryMs, () => post({ type: 'asked' }))
        },
      )
    },
    areComing: () => asking && !hasFailed,
    set: (seen) => {
      asking = false
      hasFailed = false
      counts = seen
    },
    clear: () => {
      counts = null
    },
    forgetAsked: () => {
      asking = false
    },
  }
}
