/**
 * What the chain counts for a lane's account, read outside the cycles and kept with the lane. It is read at most once per
 * block while anything is in flight or a drift needs its second look, and seldom otherwise. A cursor that does not match
 * it is reported.
 *
 * One look proves little: a node that is behind shows nonces as unused that were final long ago. So a drift counts only
 * once the next look, at another block, shows it too.
 */
import type { Lane } from '../../core/lane/lane.ts'
import type { Policy } from '../../core/lane/policy.ts'
import { type AccountCount, type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ChainCounts } from '../../ports/lane-write.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'
import type { Ledger } from '../lane/ledger.ts'
import { findDrift } from './find-drift.ts'
import { createUsedNonceWatch, type UsedNonce } from './used-nonce-watch.ts'

export interface CountWatch {
  /** With each block: queries the chain if that is due, and wakes the lane when the answer arrives. */
  look(head: number | null, isLaneBusy: boolean): void
  /** The counts of a quiet account are known and recent enough. */
  isIdle(): boolean
  /** Takes the answer, if there is one. */
  checkDrift(draft: LaneDraft, scene: CountScene): void
  /** The lowest nonce of ours that a transaction of somebody else used. */
  usedElsewhere(): UsedNonce | null
  stop(): void
}

export interface CountScene {
  readonly ledger: Pick<Ledger, 'cursor' | 'recyclable'>
  readonly reserved: Iterable<{ readonly nonce: number }>
  readonly policy: Pick<Policy, 'externalUse'>
}

interface CountPorts {
  readonly chain: Pick<Chain, 'getCounts' | 'getTransactionCount' | 'findNonceUser'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly lane: Lane
  wake(): void
}

/** Chains with many blocks a second are not queried for each block. */
const BUSY_INTERVAL_MS = 2_000
const IDLE_INTERVAL_MS = 5 * 60_000
/** Unchanged counts are stored again after this, so their time shows that they are still being checked. */
const STORE_INTERVAL_MS = 30_000

export function createCountWatch({ chain, clock, telemetry, lane, wake }: CountPorts): CountWatch {
  let asking = false
  let askedAt = Number.NEGATIVE_INFINITY
  let askedHead: number | null = null
  let news: (AccountCount & { readonly at: number }) | null = null
  let stored: ChainCounts | null = null
  let lastDrift = 0
  let reported = 0
  let followed: number | null = null
  let cancelLook = (): void => {}
  const labels = { chainId: lane.chainId, signer: lane.signer }
  const used = createUsedNonceWatch({ chain, clock, telemetry, lane, head: () => followed, wake })

  async function ask(): Promise<void> {
    try {
      news = { ...(await chain.getCounts(lane.signer)), at: clock.now() }
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
    }
  }

  /** The last look saw something else than what was reported: the next one decides. */
  const isDoubtful = (): boolean => Math.sign(lastDrift) !== Math.sign(reported)

  function look(head: number | null, isLaneBusy: boolean): void {
    const isBusy = isLaneBusy || isDoubtful()
    const waitMs = askedAt + (isBusy ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS) - clock.monotonic()
    if (asking || head === null || (isBusy && head === askedHead)) return
    if (waitMs > 0 && !isBusy) return
    cancelLook()
    // The next block may take long: what this one changed is checked when the interval ends.
    if (waitMs > 0) {
      cancelLook = clock.schedule(waitMs, () => look(head, true))
      return
    }
    askedHead = head
    asking = true
    askedAt = clock.monotonic()
    ask()
      .catch((error: unknown) =>
        telemetry.log('error', 'could not read the transaction counts of an account', { ...labels, error }),
      )
      .finally(() => {
        asking = false
        if (news !== null) wake()
      })
  }

  /** Only what two looks in a row agree on. */
  function settleDrift(seen: number): number {
    const before = lastDrift
    lastDrift = seen
    return Math.sign(before) === Math.sign(seen) ? seen : 0
  }

  /** If others may use the key, a nonce that one of them used is no surprise, and policy decides what happens to ours. */
  function checkUsed(draft: LaneDraft, { externalUse }: CountScene['policy']): void {
    if (externalUse) used.drop()
    else {
      used.check(draft)
      if (news !== null) used.take(draft, news)
    }
  }

  function reportDrift(draft: LaneDraft, drift: number, detail: Readonly<Record<string, unknown>>): void {
    telemetry.gauge('drover_nonce_drift', drift, labels)
    const isReported = Math.sign(drift) === Math.sign(reported)
    reported = drift
    if (isReported) return
    if (drift === 0) {
      draft.note({ type: 'drift.ended', cause: null, detail })
      telemetry.log('info', 'the next nonce of a signer matches the chain again', { ...labels, ...detail })
      return
    }
    const cause = drift < 0 ? 'behind' : 'ahead'
    draft.note({ type: 'drift.found', cause, detail: { ...detail, by: Math.abs(drift) } })
    const message =
      drift < 0
        ? 'the chain counts more transactions of a signer than Drover sent: something else uses its key'
        : 'nonce gap: nonces below the next one are neither used nor reserved'
    telemetry.log('warn', message, { ...labels, ...detail, by: Math.abs(drift) })
  }

  return {
    look: (head, isLaneBusy) => {
      followed = head
      look(head, isLaneBusy)
    },
    stop: () => {
      cancelLook()
      used.drop()
    },
    isIdle: () => !asking && news === null && !isDoubtful() && clock.monotonic() < askedAt + IDLE_INTERVAL_MS,
    usedElsewhere: used.find,
    checkDrift: (draft, { ledger, reserved, policy }) => {
      checkUsed(draft, policy)
      if (news === null) return
      const { latest, pending, at } = news
      news = null
      const held = [...draft.inFlight(), ...reserved].map(({ nonce }) => nonce)
      const seen = findDrift({ cursor: ledger.cursor, latest, held: [...held, ...ledger.recyclable] })
      // If others may use the key, the chain is expected to run ahead: the next nonce is taken from the chain.
      const drift = settleDrift(seen < 0 && policy.externalUse ? 0 : seen)
      reportDrift(draft, drift, { nextNonce: ledger.cursor, latest, pending })
      const counts = { latest, pending, at, drift }
      const isSame = stored?.latest === latest && stored.pending === pending && stored.drift === drift
      const isOld = isSame && at - (stored?.at ?? 0) < STORE_INTERVAL_MS
      draft.setCounts(counts, isOld)
      if (!isOld) stored = counts
    },
  }
}
