/** What the nodes that get the bytes of an account show of its unmined transactions. One round trip. */
import type { Address, Hash } from '../core/hex.ts'
import { ChainUnavailable, type PoolLook, type TransactionByHash } from '../ports/chain.ts'
import { countRead, transactionRead } from './chain-reads.ts'
import type { RpcPool } from './rpc/pool.ts'
import type { Read } from './rpc/pool-read.ts'

/** `route`: where the bytes of this account go if not to the nodes that are read. Throws ChainUnavailable. */
export async function lookAtPool(
  readers: RpcPool,
  route: RpcPool | null,
  address: Address,
  hashes: readonly Hash[],
): Promise<PoolLook> {
  const counts = [countRead(address, 'latest'), countRead(address, 'pending')]
  const reads: Read<number | TransactionByHash | null>[] = [...counts, ...hashes.map(transactionRead)]
  const [latest, pending, ...found] = await (route ?? readers).readAll(reads)
  if (typeof latest !== 'number' || typeof pending !== 'number') throw new Error('a count is a number')
  const knows = found.map((tx) => tx !== null)
  // Private endpoints often hide what they hold. Then nothing follows from not seeing it.
  if (route !== null && pending <= latest && !knows.includes(true))
    throw new ChainUnavailable('the send endpoints of this account do not show what they hold')
  return { latest, pending, knows }
}
