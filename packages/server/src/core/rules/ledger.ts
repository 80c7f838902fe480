/**
 * How much of each measure was spent lately, on each chain. Time is cut into steps: an hour is counted in steps of five
 * minutes, a day in steps of an hour. A step counts until all of it is outside the window, so a cap can free up one step
 * late and never early. What is older is forgotten: a ledger never has more than 13 + 25 steps for each measure.
 */
import type { Measure } from './spending.ts'

export const WINDOWS = {
  hour: { windowMs: 3_600_000, stepMs: 300_000 },
  day: { windowMs: 86_400_000, stepMs: 3_600_000 },
} as const
export type WindowName = keyof typeof WINDOWS

/** Amounts by the number of their step. */
type Steps = Readonly<Record<string, bigint>>
export type LedgerKey = `${number}/${Measure}`
export type Ledger = Readonly<Record<string, { readonly hour: Steps; readonly day: Steps }>>

export interface Spent {
  readonly hour: bigint
  readonly day: bigint
}

export function ledgerKey(chainId: number, measure: Measure): LedgerKey {
  return `${chainId}/${measure}`
}

export function spentOf(ledger: Ledger, key: LedgerKey, now: number): Spent {
  const entry = ledger[key]
  if (entry === undefined) return { hour: 0n, day: 0n }
  return { hour: sum(entry.hour, 'hour', now), day: sum(entry.day, 'day', now) }
}

/** Adds to the steps of `at`, or takes away from them. What is outside the window by now changes nothing. */
export function addTo(ledger: Ledger, key: LedgerKey, change: { at: number; amount: bigint; now: number }): Ledger {
  const entry = ledger[key] ?? { hour: {}, day: {} }
  return { ...ledger, [key]: { hour: addStep(entry.hour, 'hour', change), day: addStep(entry.day, 'day', change) } }
}

function addStep(
  steps: Steps,
  window: WindowName,
  { at, amount, now }: { at: number; amount: bigint; now: number },
): Steps {
  const oldest = oldestStep(window, now)
  const step = Math.floor(at / WINDOWS[window].stepMs)
  const kept = Object.entries(steps).filter(([number]) => Number(number) >= oldest)
  const changed = new Map(kept)
  if (step >= oldest) {
    const after = (changed.get(String(step)) ?? 0n) + amount
    if (after > 0n) changed.set(String(step), after)
    else changed.delete(String(step))
  }
  return Object.fromEntries(changed)
}

function sum(steps: Steps, window: WindowName, now: number): bigint {
  const oldest = oldestStep(window, now)
  let total = 0n
  for (const [step, amount] of Object.entries(steps)) if (Number(step) >= oldest) total += amount
  return total
}

function oldestStep(window: WindowName, now: number): number {
  const { windowMs, stepMs } = WINDOWS[window]
  return Math.floor((now - windowMs) / stepMs)
}
