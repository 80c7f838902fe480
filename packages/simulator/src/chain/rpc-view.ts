/** One RPC node of the simulated chain: its head and its own mempool. It may lag, or be on an old fork. */
import type { DecodedTransaction } from '../../../server/src/chain/decode-transaction.ts'
import type { SendOutcome } from '../../../server/src/core/chain/send-outcome.ts'
import type { Address, Hash } from '../../../server/src/core/hex.ts'
import {
  createFakeMempool,
  type FakeMempool,
  type FakeMempoolRules,
} from '../../../server/src/testing/chain/fake-mempool.ts'
import { accountAt, type SimBlock } from './block.ts'

export interface RpcView {
  readonly pool: FakeMempool
  head(): SimBlock
  at(number: number): SimBlock | null
  byHash(hash: Hash): SimBlock | null
  /** The block of its own chain that contains these bytes. */
  blockOf(hash: Hash): SimBlock | null
  find(hash: Hash): DecodedTransaction | null
  add(tx: DecodedTransaction): SendOutcome
  pendingCount(address: Address): number
  /** Moves to another head, and drops what is mined there from the pool. */
  setHead(head: SimBlock): void
}

export function createRpcView(genesis: SimBlock, rules: FakeMempoolRules): RpcView {
  const pool = createFakeMempool(rules)
  /** The chain that it follows, by height. */
  let path: SimBlock[] = [genesis]
  const byHash = new Map<Hash, SimBlock>([[genesis.hash, genesis]])
  const byTx = new Map<Hash, SimBlock>()
  const head = (): SimBlock => path.at(-1) ?? genesis
  const blockOf = (hash: Hash): SimBlock | null => byTx.get(hash) ?? null

  function drop(from: number): void {
    for (const block of path.slice(from)) {
      byHash.delete(block.hash)
      for (const hash of block.inclusions.keys()) if (byTx.get(hash) === block) byTx.delete(hash)
    }
    path = path.slice(0, from)
  }

  /**
   * A full pool drops its highest nonce for a lower one of the same account, as real clients do. Otherwise a gap would
   * never close.
   */
  function add(tx: DecodedTransaction): SendOutcome {
    const account = accountAt(head(), tx.from)
    const outcome = pool.add(tx, account)
    const isFull = outcome.type === 'pool_full' || (outcome.type === 'accepted' && pool.find(tx.hash) === null)
    if (!isFull) return outcome
    const own = pool.list().filter((each) => each.from === tx.from && each.nonce > tx.nonce)
    const highest = own.reduce<DecodedTransaction | null>((a, b) => (a === null || b.nonce > a.nonce ? b : a), null)
    if (highest === null) return outcome
    pool.remove(highest)
    return pool.add(tx, account)
  }

  return {
    pool,
    head,
    at: (number) => path[number] ?? null,
    byHash: (hash) => byHash.get(hash) ?? null,
    blockOf,
    find: (hash) => blockOf(hash)?.transactions.find((tx) => tx.hash === hash) ?? pool.find(hash),
    add,
    pendingCount: (address) => pool.nextNonce(address, accountAt(head(), address).nonce),
    setHead(next) {
      const added: SimBlock[] = []
      let block: SimBlock | null = next
      while (block !== null && path[block.number] !== block) {
        added.unshift(block)
        block = block.parent
      }
      drop((block?.number ?? -1) + 1)
      for (const each of added) {
        path.push(each)
        byHash.set(each.hash, each)
        for (const hash of each.inclusions.keys()) byTx.set(hash, each)
      }
      for (const [address, { nonce }] of next.accounts) pool.prune(address, nonce)
    },
  }
}
