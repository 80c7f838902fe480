/**
 * Which transaction used a nonce, according to several nodes. The answer may end a transaction, so if more than one
 * node is configured, one alone is not trusted: at least two have to show the same transaction in the same block with
 * the same receipt, and none another.
 */
import type { Inclusion } from '../core/chain/finality.ts'
import type { Address, Hash } from '../core/hex.ts'
import type { NonceUser } from '../core/lane/nonce-user.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import { receiptRead } from './chain-reads.ts'
import type { RpcPool } from './rpc/pool.ts'
import type { Read, ReadReply } from './rpc/pool-read.ts'
import {
  BadAnswer,
  NotKnown,
  parseSentTransaction,
  parseWholeBlock,
  type SentTransaction,
  toQuantity,
} from './rpc-values.ts'

export interface WantedUser {
  readonly chainId: number
  readonly height: number
  readonly address: Address
  readonly nonce: number
}

interface Seen {
  readonly blockHash: Hash
  readonly timestamp: number
  /** Null: the block holds none. */
  readonly tx: SentTransaction | null
}

/** A whole block is large; more nodes than this add nothing. */
const MAX_NODES = 3

export async function readNonceUser(pool: RpcPool, wanted: WantedUser): Promise<NonceUser | null> {
  const { blockHash, timestamp, tx } = await readAgreed(pool, seenRead(wanted))
  if (tx === null) return null
  const inclusion = await readAgreed(pool, minedRead(tx.hash, blockHash))
  const { to, data, value, isPlain } = tx
  const { chainId, address: from, nonce } = wanted
  return { chainId, from, nonce, to, data, value, isPlain, minedAt: timestamp * 1_000, inclusion }
}

function seenRead({ height, address, nonce }: WantedUser): Read<Seen> {
  return {
    method: 'eth_getBlockByNumber',
    params: [toQuantity(height), true],
    decode(result) {
      if (result === null) throw new NotKnown('the RPC node does not have this block')
      const { number, hash: blockHash, timestamp, transactions } = parseWholeBlock(result)
      if (number !== height) throw new BadAnswer('the RPC node returned a different block')
      const tx = transactions.map(parseSentTransaction).find((each) => each.from === address && each.nonce === nonce)
      return { blockHash, timestamp, tx: tx ?? null }
    },
  }
}

function minedRead(hash: Hash, blockHash: Hash): Read<Inclusion> {
  const { method, params, decode } = receiptRead(hash)
  return {
    method,
    params,
    decode(result) {
      const receipt = decode(result)
      if (receipt?.blockHash !== blockHash) throw new NotKnown('the RPC node has no receipt of this block')
      return receipt
    },
  }
}

async function readAgreed<T>(pool: RpcPool, read: Read<T>): Promise<T> {
  const asked = pool.readFromEach([read], MAX_NODES)
  const replies = (await Promise.all(asked.map(({ replies: each }) => each))).flat()
  const values = replies.flatMap((reply) => (reply.type === 'value' ? [reply.value] : []))
  const needed = Math.min(2, pool.report().length)
  const [first] = values
  if (first === undefined || values.length < needed) {
    throw new ChainUnavailable(
      `${read.method}: ${needed} RPC nodes must respond, but only ${values.length} did${why(replies)}`,
    )
  }
  const voices = new Set(
    values.map((value) => JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part))),
  )
  if (voices.size > 1) throw new ChainUnavailable(`${read.method}: the RPC nodes do not agree`)
  return first
}

function why(replies: readonly ReadReply<unknown>[]): string {
  const failed = replies.find((reply) => reply.type !== 'value')
  return failed === undefined ? '' : ` (${failed.message})`
}
