/**
 * Cancels the transactions of fires whose block was dropped, as far as they are still in line. What has a nonce may be
 * mined already and is left alone. Runs after every reorg and every takeover, so a crash in between loses nothing.
 */
import { AppError } from '../../core/app-error.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { TimerStore } from '../../ports/timer-store.ts'
import type { Operate } from '../operate/operate.ts'

interface WithdrawalPorts {
  readonly store: Pick<TimerStore, 'listWithdrawn'>
  readonly telemetry: Pick<Telemetry, 'log'>
  readonly operate: Operate
}

const PAGE = 200
const ORDER = {
  action: 'cancel',
  onlyIn: 'QUEUED',
  actor: 'timers',
  reason: 'A reorg dropped the block in which its timer fired.',
} as const

export function createWithdrawals({ store, telemetry, operate }: WithdrawalPorts): (chainId: number) => Promise<void> {
  return async (chainId) => {
    for (;;) {
      const ids = await store.listWithdrawn(chainId, PAGE)
      let left = 0
      for (const txId of ids) {
        await operate(txId, ORDER).catch((error: unknown) => {
          if (!(error instanceof AppError)) throw error
          left += 1
          telemetry.log('warn', 'a fire of a dropped block could not be cancelled', { txId, error: error.message })
        })
      }
      if (ids.length < PAGE || left > 0) return
    }
  }
}
