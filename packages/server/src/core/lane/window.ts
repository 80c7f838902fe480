/**
 * How many unmined transactions of a lane may be out at once, measured like the width of a pipe.
 *
 * It starts at the number that geth is certain to keep for one account, and doubles each time nodes show that they keep
 * everything that was sent. When they keep less, it shrinks at once to what they kept. That becomes a ceiling, and more
 * is tried only after a pause, by a quarter. Each failed try doubles the pause, so a real limit is seldom hit. Each
 * success moves the ceiling.
 *
 * A number instead of `auto` is both the start and the maximum.
 */

export const WINDOW_REASONS = ['start', 'all_kept', 'at_limit', 'pool_full', 'dropped', 'nonce_gap'] as const
export type WindowReason = (typeof WINDOW_REASONS)[number]

export interface Window {
  readonly size: number
  /** How many nodes kept when it was last too much; null: they have kept everything so far. */
  readonly ceiling: number | null
  /** Nothing above the ceiling is tried before this. */
  readonly probeAt: number
  readonly pauseMs: number
  readonly reason: WindowReason
  /** Since when it has this size. */
  readonly since: number
  /** The account has delegated code (EIP-7702): nodes keep one transaction of it, whatever the size. */
  readonly delegated: boolean
}

export interface ShownWindow {
  readonly size: number
  readonly reason: WindowReason | 'delegated'
}

export interface WindowLimits {
  readonly start: number
  readonly most: number
}

export interface Loss {
  /** How many were kept; null if unknown. */
  readonly kept: number | null
  readonly reason: Extract<WindowReason, 'pool_full' | 'dropped' | 'nonce_gap'>
}

const AUTO: WindowLimits = { start: 16, most: 4_096 }
const FIRST_PAUSE_MS = 2_000
const MAX_PAUSE_MS = 5 * 60_000

export function windowLimits(maxInFlight: number | 'auto'): WindowLimits {
  return maxInFlight === 'auto' ? AUTO : { start: maxInFlight, most: maxInFlight }
}

export function openWindow({ start, most }: WindowLimits, at: number): Window {
  const reason = start === most ? 'at_limit' : 'start'
  return { size: start, ceiling: null, probeAt: 0, pauseMs: FIRST_PAUSE_MS, reason, since: at, delegated: false }
}

/** How many may be out, and why no more. */
export function presentWindow({ size, reason, delegated }: Window): ShownWindow {
  return delegated ? { size: 1, reason: 'delegated' } : { size, reason }
}

/** The limits may have changed since it grew. */
export function fitWindow(window: Window, limits: WindowLimits, at: number): Window {
  const isFree = window.ceiling === null && limits.start === limits.most
  const size = isFree ? limits.most : Math.min(window.size, limits.most)
  return size === window.size ? window : { ...window, size, reason: 'at_limit', since: at }
}

/**
 * Whether the window can grow if everything that is out is kept. Half a window proves enough to double it. More than
 * the ceiling is tried only if the ceiling was filled, and it is raised only if more than that is kept.
 */
export function mayWiden({ size, ceiling, probeAt }: Window, { most }: WindowLimits, out: number, at: number): boolean {
  if (size >= most) return false
  if (ceiling === null || size < ceiling) return out * 2 >= size
  return size === ceiling ? out >= size && at >= probeAt : out > ceiling
}

/** Nodes keep everything that is out. */
export function widenWindow(window: Window, limits: WindowLimits, kept: number, at: number): Window {
  if (!mayWiden(window, limits, kept, at)) return window
  const { size, ceiling } = window
  if (ceiling === null) return grown(window, size * 2, limits, at)
  if (size < ceiling) return grown(window, Math.min(ceiling, size * 2), limits, at)
  // Above the ceiling: the last try was kept, so the ceiling was too low.
  const raised = size > ceiling ? { ...window, ceiling: kept, pauseMs: FIRST_PAUSE_MS, probeAt: at } : window
  return grown(raised, Math.max(size + 1, Math.floor(size * 1.25)), limits, at)
}

function grown(window: Window, wanted: number, { most }: WindowLimits, at: number): Window {
  const size = Math.min(most, wanted)
  return { ...window, size, reason: size === most ? 'at_limit' : 'all_kept', since: at }
}

/** Less was kept than was sent. */
export function narrowWindow(window: Window, { kept, reason }: Loss, at: number): Window {
  const half = Math.max(1, Math.floor(window.size / 2))
  // Nothing at all is left: the pool was lost rather than full, which says nothing about its limit.
  if (kept === 0) return { ...window, size: half, reason, since: at }
  const size = Math.min(window.size, kept ?? half)
  if (size === window.size) return window
  const wasTry = window.ceiling !== null && window.size > window.ceiling
  const pauseMs = wasTry ? Math.min(MAX_PAUSE_MS, window.pauseMs * 2) : FIRST_PAUSE_MS
  return { ...window, size, ceiling: size, probeAt: at + pauseMs, pauseMs, reason, since: at }
}
