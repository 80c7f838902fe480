/**
 * Finds out why a mined transaction reverted: its call is run again on the state before its block, when somebody asks.
 * Answers are remembered, because the past does not change and the page asks every second.
 */
import { AppError } from '../../core/app-error.ts'
import type { Inclusion } from '../../core/chain/finality.ts'
import { findAttempt, inclusionOf, type Transaction } from '../../core/transaction/transaction.ts'
import { pause } from '../../engine/pause.ts'
import { createFairTurns } from '../../engine/tenants/fair-turns.ts'
import type { Tenant } from '../../engine/tenants/tenant-pool.ts'
import { type Call, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'

/** Null: it did not revert, the nodes cannot tell, or they do not answer at once. */
export type ReadRevert = (tx: Transaction, tenant?: Tenant) => Promise<string | null>

const TURNS = { what: 'reads of revert reasons', maxRunning: 4, maxWaiting: 100 }
const MAX_WAIT_MS = 2_000
const MAX_REMEMBERED = 1_000

interface RevertReadPorts {
  readonly chains: ReadonlyMap<number, { readRevert(call: Call, height: number): Promise<string | null> }>
  readonly clock: Clock
  readonly sharePercent?: number
}

export function createRevertReads({ chains, clock, sharePercent }: RevertReadPorts): ReadRevert {
  const turns = createFairTurns({ ...TURNS, sharePercent, whenFull })
  const remembered = new Map<string, string | null>()

  function remember(key: string, reason: string | null): void {
    remembered.set(key, reason)
    const [oldest] = remembered.keys()
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }

  async function read({ call, inclusion }: Reverted, chainId: number, tenant: Tenant): Promise<string | null> {
    const key = `${inclusion.txHash} ${inclusion.blockHash}`
    const known = remembered.get(key)
    const chain = chains.get(chainId)
    if (known !== undefined || chain === undefined) return known ?? null
    try {
      const reason = await turns.run(tenant, () => chain.readRevert(call, inclusion.blockNumber - 1))
      remember(key, reason)
      return reason
    } catch (error) {
      if (error instanceof ChainUnavailable || error instanceof AppError) return null
      throw error
    }
  }

  return async (tx, tenant = null) => {
    const reverted = findReverted(tx)
    if (reverted === null) return null
    const { chainId } = tx.intent.lane
    return Promise.race([read(reverted, chainId, tenant), pause(clock, MAX_WAIT_MS).then(() => null)])
  }
}

interface Reverted {
  readonly call: Call
  readonly inclusion: Inclusion
}

/** Only for bytes of its own: of a foreign transaction the call is not known. */
function findReverted(tx: Transaction): Reverted | null {
  const inclusion = inclusionOf(tx)
  if (inclusion === null || inclusion.succeeded || inclusion.blockNumber === 0 || !('inclusion' in tx)) return null
  const attempt = findAttempt(tx, inclusion.txHash)
  if (attempt === null || attempt.kind === 'cancel' || attempt.kind === 'noop') return null
  const { lane, to, data, value, accessList } = tx.intent
  const call = { from: lane.signer, to, data, value, gasLimit: attempt.gasLimit, ...(accessList && { accessList }) }
  return { call, inclusion }
}

function whenFull(): AppError {
  return new AppError('chain_unavailable', 'Too many reads of revert reasons are waiting. Retry later.', {
    retryAfterMs: 1_000,
  })
}
