/**
 * Holds answers back until a transaction has reached the stage that its caller wants.
 *
 * All waiting callers share the node's one reader of the event stream. An event of an awaited transaction makes it due.
 * Due transactions are read from the store together, one statement at a time, so the cost depends on what happens and
 * not on how many wait. Each new wait starts with one look of its own, because the event may have happened before the
 * reader's current position. The number of waits is bounded: a caller that does not fit is refused at once.
 */
import { AppError } from '../../core/app-error.ts'
import type { Transaction, TxId } from '../../core/transaction/transaction.ts'
import { assessWait, type WaitStage } from '../../core/transaction/wait-stage.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HistoryEntry } from '../../ports/history.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createTenantPool, type Tenant } from '../tenants/tenant-pool.ts'
import type { EventTail } from './event-tail.ts'
import { createTransactionLookup } from './transaction-lookup.ts'
import { watchTransactions } from './watch-transactions.ts'

export interface Wait {
  readonly stage: WaitStage
  readonly timeoutMs: number
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal
}

export interface Waited {
  readonly transaction: Transaction
  readonly outcome: 'reached' | 'ended' | 'timeout' | 'stopping'
}

export interface WaitPlace {
  /** The transaction when it has reached the stage, or when the wait ends; at once if it is already there. */
  until(tx: Transaction, wait: Wait): Promise<Waited>
  /** Gives the place back. */
  leave(): void
}

export interface TransactionWaits {
  /**
   * Takes a place, or throws if there is none: before anything is stored for a caller that will not get an answer.
   * Callers that only look leave some places to those that send.
   */
  enter(purpose: 'look' | 'send', tenant?: Tenant): WaitPlace
  /** Returns the transaction in its current state to every waiting caller, at once. */
  /** Settles when nothing is being read any more. */
  close(): Promise<void>
}

interface WaitPorts {
  readonly store: Pick<Store, 'findTransactions'>
  /** The node's own, which others read too. */
  readonly tail: EventTail<HistoryEntry>
  readonly clock: Pick<Clock, 'schedule'>
  readonly telemetry: Pick<Telemetry, 'log' | 'gauge'>
  readonly maxWaiting?: number
  readonly sharePercent?: number
}

interface Waiter {
  readonly id: TxId
  see(tx: Transaction): void
  settle(outcome: Waited['outcome']): void
}

const MAX_WAITING = 1_000
const SHARE_OF_LOOKS = 0.75
const RETRY_AFTER_MS = 1_000

export function createTransactionWaits(ports: WaitPorts): TransactionWaits {
  const { tail, clock, telemetry, maxWaiting = MAX_WAITING } = ports
  const pool = createTenantPool({
    what: 'waiting requests',
    size: maxWaiting,
    sharePercent: ports.sharePercent,
    retryAfterMs: RETRY_AFTER_MS,
    whenFull: () => refuse(maxWaiting),
    // The same code: a client that gets it polls without waiting, whichever tenant has the places.
    whenShareUsed: (limit) => refuse(limit, ' of your tenant'),
  })
  const waiters = new Map<TxId, Set<Waiter>>()
  const lookup = createTransactionLookup(ports, (tx) => {
    for (const waiter of [...(waiters.get(tx.id) ?? [])]) waiter.see(tx)
  })
  const watch = watchTransactions(tail, {
    isWanted: (id) => waiters.has(id),
    onChange: (ids) => lookup.add(ids ?? waiters.keys()),
  })
  let isClosed = false

  function add(waiter: Waiter): void {
    const same = waiters.get(waiter.id) ?? new Set()
    waiters.set(waiter.id, same.add(waiter))
    watch.start()
    lookup.add([waiter.id])
  }

  function remove(waiter: Waiter): void {
    const same = waiters.get(waiter.id)
    same?.delete(waiter)
    if (same?.size === 0) waiters.delete(waiter.id)
    if (waiters.size === 0) watch.stop()
  }

  function until(first: Transaction, { stage, timeoutMs, signal }: Wait): Promise<Waited> {
    const progress = assessWait(first, stage)
    if (progress !== 'waiting') return Promise.resolve({ transaction: first, outcome: progress })
    if (isClosed) return Promise.resolve({ transaction: first, outcome: 'stopping' })
    return new Promise((resolve) => {
      let last = first
      const waiter: Waiter = {
        id: first.id,
        see(tx) {
          if (tx.version >= last.version) last = tx
          const now = assessWait(last, stage)
          if (now !== 'waiting') waiter.settle(now)
        },
        settle(outcome) {
          cancelTimeout()
          signal.removeEventListener('abort', giveUp)
          remove(waiter)
          resolve({ transaction: last, outcome })
        },
      }
      // A caller that has gone does not read the answer; the wait only has to end.
      const giveUp = (): void => waiter.settle('timeout')
      const cancelTimeout = clock.schedule(timeoutMs, giveUp)
      signal.addEventListener('abort', giveUp)
      add(waiter)
      if (signal.aborted) giveUp()
    })
  }

  return {
    enter(purpose, tenant = null) {
      const most = purpose === 'send' ? maxWaiting : Math.ceil(maxWaiting * SHARE_OF_LOOKS)
      if (pool.used() >= most) throw refuse(pool.used())
      const leave = pool.enter(tenant)
      telemetry.gauge('drover_waiting_requests', pool.used())
      return {
        until,
        leave: () => {
          leave()
          telemetry.gauge('drover_waiting_requests', pool.used())
        },
      }
    },
    async close() {
      isClosed = true
      for (const waiter of [...waiters.values()].flatMap((same) => [...same])) waiter.settle('stopping')
      watch.stop()
      lookup.close()
      await tail.close()
    },
  }
}

function refuse(waiting: number, whose = ''): AppError {
  const message = `${waiting} requests${whose} are already waiting on this node. Retry later, or send it without wait.`
  return new AppError('too_many_waiting', message, { retryAfterMs: RETRY_AFTER_MS })
}
