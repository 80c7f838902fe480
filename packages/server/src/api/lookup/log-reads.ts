/** Reads the logs of receipts from a node on request. Tenants take turns, because one receipt may be megabytes. */
import { AppError } from '../../core/app-error.ts'
import type { Hash } from '../../core/hex.ts'
import { createFairTurns } from '../../engine/tenants/fair-turns.ts'
import type { Tenant } from '../../engine/tenants/tenant-pool.ts'
import type { Chain, ReceiptLogs } from '../../ports/chain.ts'

/** Null if no node has the receipt. Throws if no node responds, or if too many requests are waiting. */
export type ReadLogs = (chainId: number, hash: Hash, tenant?: Tenant) => Promise<ReceiptLogs | null>

const TURNS = { what: 'reads of logs', maxRunning: 8, maxWaiting: 200 }

interface LogReadPorts {
  readonly chains: ReadonlyMap<number, Pick<Chain, 'findLogs'>>
  readonly sharePercent?: number
}

export function createLogReads({ chains, sharePercent }: LogReadPorts): ReadLogs {
  const turns = createFairTurns({ ...TURNS, sharePercent, whenFull })
  return async (chainId, hash, tenant = null) => {
    const chain = chains.get(chainId)
    return chain === undefined ? null : turns.run(tenant, () => chain.findLogs(hash))
  }
}

function whenFull(): AppError {
  return new AppError('chain_unavailable', 'Too many log reads are waiting. Retry later.', { retryAfterMs: 1_000 })
}
