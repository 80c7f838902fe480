/**
 * Finds a nonce in flight that a transaction of somebody else used, long before that is final.
 *
 * A count above the nonce is only a reason to suspect it: ours may be in a block whose receipts cannot be read, or in one
 * that is not followed yet. So the count at the followed head is read, and the block that moved it past the nonce. The
 * nonce is named only if that block holds a transaction that is not ours.
 */
import { backOff } from '../../core/back-off.ts'
import type { Lane } from '../../core/lane/lane.ts'
import { judgeNonceUser, type NonceUser } from '../../core/lane/nonce-user.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import type { InFlight, TxId } from '../../core/transaction/transaction.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { findNonceUse, type NonceReads } from '../foreign/find-nonce-use.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'

export interface UsedNonce {
  readonly txId: TxId
  readonly nonce: number
  readonly since: number
}

interface UsedNonceWatch {
  /** In each cycle: takes the answer of the nodes, if there is one. */
  check(draft: Unmined): void
  /** The account's count, as some node has it. */
  take(draft: Unmined, count: { readonly latest: number; readonly at: number }): void
  /** The lowest nonce of ours that a transaction of somebody else used. */
  find(): UsedNonce | null
  /** Others may use the key: nothing is suspected. */
  drop(): void
}

interface UsedNoncePorts {
  readonly chain: NonceReads
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly lane: Lane
  /** The height of the followed chain, as far as the lane has read it. */
  head(): number | null
  wake(): void
}

type Unmined = Pick<LaneDraft, 'unmined'>

interface Suspicion extends UsedNonce {
  isSure: boolean
  /** How often the nodes could not say who used it, or named ours. */
  doubts: number
}

type Use = { readonly type: 'unused' | 'unknown' } | { readonly type: 'used'; readonly user: NonceUser }

/** A transaction that was just mined is known as such by then. */
const FIRST_LOOK_MS = 2_000
const RETRIES = { first: FIRST_LOOK_MS, max: 60_000 }

export function createUsedNonceWatch({ chain, clock, telemetry, lane, head, wake }: UsedNoncePorts): UsedNonceWatch {
  let suspicion: Suspicion | null = null
  let answer: { readonly of: Suspicion; readonly use: Use } | null = null
  let cancelLook = (): void => {}

  function drop(): void {
    suspicion = null
    cancelLook()
  }

  function plan(delayMs: number): void {
    cancelLook()
    cancelLook = clock.schedule(delayMs, look)
  }

  function look(): void {
    const [of, height] = [suspicion, head()]
    if (of === null || height === null) return
    readUse(of.nonce, height)
      .then((use) => {
        answer = { of, use }
        wake()
      })
      .catch((error: unknown) =>
        telemetry.log('error', 'could not read which transaction used a nonce', {
          chainId: lane.chainId,
          signer: lane.signer,
          nonce: of.nonce,
          error,
        }),
      )
  }

  async function readUse(nonce: number, height: number): Promise<Use> {
    const address = lane.signer
    try {
      // By height: a node that is behind fails instead of answering with the past.
      if ((await chain.getTransactionCount(address, height)) <= nonce) return { type: 'unused' }
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      return { type: 'unknown' }
    }
    // Whether it is ours is decided when the answer is taken: ours may have more hashes by then.
    const use = await findNonceUse(chain, { address, nonce, height, hashes: [] })
    return 'user' in use ? { type: 'used', user: use.user } : { type: 'unknown' }
  }

  function takeAnswer(of: Suspicion, tx: InFlight, use: Use): void {
    if (use.type === 'used') of.isSure = isForeign(tx, use.user)
    if (use.type === 'unused') drop()
    else if (!of.isSure) plan(backOff(++of.doubts, RETRIES))
  }

  return {
    check: (draft) => {
      const [given, current] = [answer, suspicion]
      answer = null
      if (current === null) return
      const tx = draft.unmined().find(({ id }) => id === current.txId)
      // What was mined since, or has another nonce, is not used elsewhere.
      if (tx === undefined || tx.nonce !== current.nonce || !awaitsBlock(tx)) drop()
      else if (given?.of === current) takeAnswer(current, tx, given.use)
    },
    take: (draft, { latest, at }) => {
      // The node may be behind, or a reorg has dropped the other one: the followed chain decides.
      if (suspicion?.isSure) {
        if (latest <= suspicion.nonce) plan(0)
        return
      }
      const lowest = findLowest(draft, latest)
      if (lowest?.id === suspicion?.txId && lowest?.nonce === suspicion?.nonce) return
      drop()
      if (lowest === null) return
      suspicion = { txId: lowest.id, nonce: lowest.nonce, since: at, isSure: false, doubts: 0 }
      plan(FIRST_LOOK_MS)
    },
    find: () => (suspicion?.isSure ? suspicion : null),
    drop,
  }
}

/** A nonce that was used before ours took it was not taken from us: ours takes another by itself. */
function isForeign(tx: InFlight, user: NonceUser): boolean {
  const verdict = judgeNonceUser(tx, user)
  return verdict === 'other' || verdict === 'same'
}

function findLowest(draft: Unmined, latest: number): InFlight | null {
  return draft
    .unmined()
    .filter((tx) => tx.nonce < latest && awaitsBlock(tx))
    .reduce<InFlight | null>((low, tx) => (low === null || tx.nonce < low.nonce ? tx : low), null)
}
