/** Tells once when an account's balance falls below what policy wants it to have, and once when it is back. */
import type { Policy } from '../core/policy.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { LaneDraft } from './lane-draft.ts'

export interface BalanceScene {
  readonly balanceWei: bigint
  /** What was told last; null where nothing was told yet. */
  readonly wasLow: boolean | null
  readonly policy: Policy
  readonly telemetry: Telemetry
  readonly fields: Readonly<Record<string, unknown>>
}

/** What is told by now.  */
export function judgeBalance(draft: LaneDraft, scene: BalanceScene): boolean | null {
  const { balanceWei, wasLow, policy, telemetry, fields } = scene
  const thresholdWei = policy.lowBalanceWei
  if (thresholdWei === null) return null
  const isLow = balanceWei < thresholdWei
  if (isLow === (wasLow ?? false)) return isLow
  const type = isLow ? 'balance.low' : 'balance.restored'
  draft.note({ type, cause: null, detail: { balanceWei, thresholdWei } })
  if (isLow) telemetry.log('warn', 'the balance of a signer is low', { ...fields, balanceWei, thresholdWei })
  else telemetry.log('info', 'the balance of a signer is back', { ...fields, balanceWei, thresholdWei })
  return isLow
}
