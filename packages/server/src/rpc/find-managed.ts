/**
 * Looks up managed transactions by any hash that they ever had. A returned hash stays valid after a fee bump replaces
 * it: the receipt is that of the mined attempt, with the hash it has on chain. A transaction replaced by its own
 * cancellation has no receipt, as on any node: its bytes will never run.
 */
import { parseHash } from '../api/contract/values/bytes.ts'
import { type Caller, mayUse } from '../core/access/caller.ts'
import type { Inclusion } from '../core/chain/finality.ts'
import type { Hash } from '../core/hex.ts'
import { type Attempt, inclusionOf, type Transaction } from '../core/transaction/transaction.ts'
import type { Upstream } from '../ports/upstream.ts'
import type { Forwarder, SharedForwarder } from './forwarder.ts'
import { RpcFailure } from './rpc-failure.ts'
import type { RpcReads } from './rpc-reads.ts'

export interface FindManaged {
  receipt(params: readonly unknown[], caller: Caller): Promise<unknown>
  transaction(params: readonly unknown[], caller: Caller): Promise<unknown>
}

interface FindPorts {
  readonly store: Pick<RpcReads, 'findTransactionByHash'>
  readonly upstream: Pick<Upstream, 'chainId' | 'readPending'>
  readonly forwarder: Pick<SharedForwarder, 'forTenant'>
}

const RECEIPT = 'eth_getTransactionReceipt'
const TRANSACTION = 'eth_getTransactionByHash'

export function createFindManaged({ store, upstream, forwarder }: FindPorts): FindManaged {
  /** Null if it is not ours, or not in a lane that the caller may see: then it is like any other hash. */
  async function findOwn(hash: Hash, caller: Caller): Promise<Transaction | null> {
    const tx = await store.findTransactionByHash(hash, caller.tenant)
    if (tx === null || tx.intent.lane.chainId !== upstream.chainId) return null
    return mayUse(caller, tx.intent.lane) ? tx : null
  }

  const ask = (method: string, hash: Hash, { tenant }: Caller): Promise<unknown> =>
    forwarder.forTenant(tenant).forward({ method, params: [hash] })

  /** What the nodes have under these hashes. Throws only if they have nothing and one hash could not be queried. */
  async function askForAll(method: string, attempts: readonly Attempt[], own: Forwarder): Promise<readonly unknown[]> {
    const answers = await own.forwardEach(attempts.map(({ hash }) => ({ method, params: [hash] })))
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' && answer.value ? [answer.value] : []))
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (found.length === 0 && failed?.status === 'rejected') throw failed.reason
    return found
  }

  /** Not mined as far as we know. A node may be ahead of us and see any of its attempts mined. */
  async function findPending(tx: Transaction, hash: Hash, own: Forwarder): Promise<unknown> {
    const seen = await askForAll(TRANSACTION, attemptsFor(tx, hash), own).catch((error: unknown) => {
      // Stored bytes are an answer by themselves, even while no node has them or responds.
      if (error instanceof RpcFailure) return []
      throw error
    })
    const mined = seen.find((object) => hasField(object, 'blockHash', (value) => typeof value === 'string'))
    if (mined !== undefined) return mined
    const same = seen.find((object) => hasField(object, 'hash', (value) => value === hash))
    const attempt = tx.attempts.find((own) => own.hash === hash)
    if (same !== undefined || attempt === undefined) return same ?? null
    return (await upstream.readPending(attempt.raw))?.object ?? null
  }

  /** The hash to query: its own if it was mined, or that of the mined attempt. Null if none will be mined. */
  function resolve(tx: Transaction, inclusion: Inclusion, hash: Hash): Hash | null {
    const included = tx.attempts.find((attempt) => attempt.hash === inclusion.txHash)
    return inclusion.txHash === hash || (included !== undefined && runsIntent(included)) ? inclusion.txHash : null
  }

  return {
    receipt: async (params, caller) => {
      const hash = getHash(params)
      const tx = await findOwn(hash, caller)
      if (tx === null) return ask(RECEIPT, hash, caller)
      const inclusion = inclusionOf(tx)
      const own = forwarder.forTenant(caller.tenant)
      if (inclusion === null) return (await askForAll(RECEIPT, attemptsFor(tx, hash), own))[0] ?? null
      const mined = resolve(tx, inclusion, hash)
      return mined === null ? null : ask(RECEIPT, mined, caller)
    },

    transaction: async (params, caller) => {
      const hash = getHash(params)
      const tx = await findOwn(hash, caller)
      if (tx === null) return ask(TRANSACTION, hash, caller)
      const inclusion = inclusionOf(tx)
      if (inclusion === null) return findPending(tx, hash, forwarder.forTenant(caller.tenant))
      const mined = resolve(tx, inclusion, hash)
      return mined === null ? null : ask(TRANSACTION, mined, caller)
    },
  }
}

function getHash(params: readonly unknown[]): Hash {
  const hash = parseHash(params[0])
  if (hash === null || params.length !== 1) {
    throw new RpcFailure('invalid_params', 'expected one parameter: a transaction hash, 0x and 64 hex digits')
  }
  return hash
}

/** Bytes that do what the caller asked for, at whatever price. */
function runsIntent({ kind }: Attempt): boolean {
  return kind === 'original' || kind === 'bump'
}

/** Those that can answer for this hash: also itself, where it is what cancels the others. */
function attemptsFor({ attempts }: Transaction, hash: Hash): readonly Attempt[] {
  return attempts.filter((attempt) => runsIntent(attempt) || attempt.hash === hash)
}

function hasField(object: unknown, name: string, isGood: (value: unknown) => boolean): boolean {
  return typeof object === 'object' && object !== null && isGood((object as Readonly<Record<string, unknown>>)[name])
}
