/**
 * The second step of a cycle: loads the lane, and stores what a cycle decided in one fenced write. If the result of a
 * write is unknown, the lane is loaded again.
 */
import { isInFlight, type Transaction, type TxId } from '../../core/transaction/transaction.ts'
import type { LaneWrite } from '../../ports/lane-write.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import type { Storable } from '../reservations/request-draft.ts'
import { countTransitions } from './count-transitions.ts'
import { guardPromotion } from './guard-promotion.ts'
import type { LaneActions } from './lane-actions.ts'
import type { LaneContext } from './lane-context.ts'
import type { LaneRetry } from './lane-retry.ts'
import { createLedger, updateLedger } from './ledger.ts'

export interface LaneStorage {
  /** Rebuilds everything from the store. False: the store did not respond, and the lane retries after a pause. */
  load(): Promise<boolean>
  /** Reads transactions that an operator changed. If null, or if nonces changed too, the next cycle loads the lane. */
  reread(txIds: readonly TxId[] | null): Promise<void>
  /** False: nothing was stored, and the lane has stopped or loads again. */
  save(draft: Storable): Promise<boolean>
  /** Refused writes with new nonces, in a row: their bytes may have been signed, so the next ones must differ. */
  variation(): number
}

interface StoragePorts {
  readonly actions: LaneActions
  readonly retry: LaneRetry
  /** The ledger can no longer be trusted: the next cycle loads it again. */
  reload(): void
  halt(): void
}

export function createLaneStorage(context: LaneContext, { actions, retry, reload, halt }: StoragePorts): LaneStorage {
  const { runner, ports, parts, state, fields } = context
  const { store, writer, clock, telemetry, tracker, settings } = ports
  const { funds, problems, queue, requests, window } = parts
  const { lease } = runner
  let variation = 0

  async function load(): Promise<boolean> {
    try {
      const lane = await store.loadLane(lease.lane)
      state.isBehindChain = await guardPromotion(context, lane)
      if (state.stopped) return false
      state.ledger = createLedger(lane)
      state.prepared = null
      window.recall(lane.window)
      queue.wake()
      funds.recall(lane.seen)
      problems.recall(lane.seen.problems)
      parts.keptWaiting.recall(lane.seen.problems)
      tracker.adopt(runner, lane.inFlight)
      requests.forget()
      await requests.refresh()
      actions.repeatAlarms(lane.inFlight)
      return true
    } catch (error) {
      telemetry.log('warn', 'could not load a lane; retrying', { ...fields, error })
      state.ledger = null
      retry.pause()
      return false
    }
  }

  async function reread(txIds: readonly TxId[] | null): Promise<void> {
    const { ledger } = state
    if (ledger === null) return
    state.ledger = null
    if (txIds === null) return
    const read = await store.findTransactions(txIds).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) return null
      throw error
    })
    if (read === null) return
    const changed = read.flatMap((tx) => (isInFlight(tx) ? [tx] : []))
    const keepsNonce = (tx: Transaction) =>
      ledger.inFlight.get(tx.id)?.nonce === (isInFlight(tx) ? tx.nonce : undefined)
    if (!read.every(keepsNonce)) return
    state.ledger = updateLedger(ledger, changed)
    tracker.update(runner, changed)
  }

  async function save(draft: Storable): Promise<boolean> {
    const write = draft.toWrite(lease)
    const result = await writer.write(write).catch((error: unknown) => {
      // The writer gives up only at shutdown: the next owner finds what was stored and continues from there.
      if (error instanceof StoreUnavailable) return null
      throw error
    })
    if (result === null) {
      halt()
      return false
    }
    switch (result.type) {
      case 'written':
        retry.reset()
        if (takesNonce(write)) variation = 0
        if (write.cursor !== null) state.isBehindChain = false
        state.ledger = draft.settle(result.versions)
        countTransitions(telemetry, write.saves)
        actions.act(draft)
        return true
      case 'fenced':
        telemetry.count('drover_fence_refusals_total', { operation: 'write' })
        telemetry.log('warn', 'lost the lease of a lane; nothing was written', fields)
        halt()
        ports.onFenced()
        return false
      case 'stale':
        telemetry.count('drover_lane_reloads_total', { cause: 'stale' })
        reload()
        retry.pauseIfRepeated()
        return false
      case 'refused':
        telemetry.count('drover_lane_reloads_total', { cause: 'refused' })
        telemetry.log('error', 'the database refused a write of a lane', { ...fields, detail: result.detail })
        queue.hold(clock.now() + settings.prepareRetryMs)
        if (takesNonce(write)) variation++
        reload()
        retry.pause()
        return false
    }
  }

  return { load, reread, save, variation: () => variation }
}

function takesNonce({ saves }: LaneWrite): boolean {
  return saves.some(({ before, tx }) => before.state === 'QUEUED' && tx.state === 'ALLOCATED')
}
