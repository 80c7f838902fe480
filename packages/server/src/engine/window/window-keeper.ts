/** The current window of one lane: fitted to policy, reported to telemetry, and stored along with other writes. */
import type { Lane } from '../../core/lane/lane.ts'
import type { Policy } from '../../core/lane/policy.ts'
import {
  fitWindow,
  type Loss,
  narrowWindow,
  openWindow,
  presentWindow,
  type Window,
  widenWindow,
  windowLimits,
} from '../../core/lane/window.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { AccountWatch } from '../balance/account-watch.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'

export interface WindowKeeper {
  recall(stored: Window | null): void
  current(policy: Policy): Window
  size(policy: Policy): number
  /** This many are out and all of them are kept. */
  widen(policy: Policy, kept: number): void
  narrow(policy: Policy, loss: Loss): void
  /** Puts it into the draft if it has changed since it was last stored. */
  store(draft: LaneDraft, policy: Policy): void
}

interface KeeperPorts {
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly lane: Lane
  readonly account: Pick<AccountWatch, 'isDelegated'>
}

export function createWindowKeeper({ clock, telemetry, lane, account }: KeeperPorts): WindowKeeper {
  const labels = { chainId: lane.chainId, signer: lane.signer }
  let window: Window | null = null
  let fittedTo: Policy['maxInFlight'] | null = null
  let isStored = true

  function current({ maxInFlight }: Policy): Window {
    const limits = windowLimits(maxInFlight)
    const before = window ?? openWindow(limits, clock.now())
    const fitted = fittedTo === maxInFlight ? before : fitWindow(before, limits, clock.now())
    fittedTo = maxInFlight
    const delegated = account.isDelegated()
    return set(fitted.delegated === delegated ? fitted : { ...fitted, delegated })
  }

  function set(next: Window): Window {
    const before = window
    window = next
    if (before?.size === next.size && before.delegated === next.delegated) return next
    isStored = false
    const { size, reason } = presentWindow(next)
    telemetry.gauge('drover_window_size', size, labels)
    telemetry.count('drover_window_changes_total', { reason })
    return next
  }

  return {
    current,
    size: (policy) => presentWindow(current(policy)).size,
    recall: (stored) => {
      window ??= stored
    },
    widen: (policy, kept) => {
      set(widenWindow(current(policy), windowLimits(policy.maxInFlight), kept, clock.now()))
    },
    narrow: (policy, loss) => {
      const before = current(policy)
      const { size } = set(narrowWindow(before, loss, clock.now()))
      if (size === before.size) return
      const { kept, reason } = loss
      telemetry.log('info', 'RPC nodes dropped transactions of an account; sending fewer ahead', {
        ...labels,
        window: size,
        kept,
        reason,
      })
    },
    store: (draft, policy) => {
      const now = current(policy)
      if (isStored) return
      draft.setWindow(now)
      // Nothing else may be stored in this cycle: it is added to each draft until one is stored.
      if (!draft.isEmpty()) isStored = true
    },
  }
}
