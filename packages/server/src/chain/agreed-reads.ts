/**
 * Reads that timers depend on, confirmed by two nodes if that many are configured. It asks two nodes. Only if they
 * disagree does it ask more, and an answer that any two agree on counts.
 */
import type { Header } from '../core/chain/finality.ts'
import type { Address, Hex } from '../core/hex.ts'
import {
  type AgreedBlock,
  type AgreedReads,
  ChainUnavailable,
  type EventLog,
  type ViewCall,
  type ViewOutcome,
} from '../ports/chain.ts'
import { classifyCallError } from './call-outcome.ts'
import { blockRead } from './chain-reads.ts'
import { listErrorTexts } from './error-texts.ts'
import type { RpcPool } from './rpc/pool.ts'
import type { Read, ReadReply } from './rpc/pool-read.ts'
import type { RpcError } from './rpc/rpc-error.ts'
import { BadAnswer, NotKnown, parseAgreedBlock, parseBlockLogs, toQuantity } from './rpc-values.ts'

/** More nodes than this add nothing. */
const MAX_NODES = 4
/** What a view call may return, as hex. */
const MAX_VIEW_CHARS = 128 * 1024
/** A filter names no more contracts than this; then all logs of the block are read. */
const MAX_CONTRACTS = 200
const PRUNED = /missing trie|pruned|state .*not (be )?(available|found)|historical state|state histories/i

type PoolReads = Pick<RpcPool, 'readFromEach' | 'report'>

export function createAgreedReads(pool: PoolReads): AgreedReads {
  return {
    async readAgreedBlocks(heights) {
      const found = await readAgreed(pool, heights.map(heightRead))
      const blocks: AgreedBlock[] = []
      for (const outcome of found) {
        if ('problem' in outcome) break
        blocks.push(outcome.value)
      }
      if (blocks.length === 0) throw new ChainUnavailable(describe(found[0], 'eth_getBlockByNumber'))
      return blocks
    },
    async readAgreedLogs(blocks, contracts) {
      const wanted = new Set(contracts)
      const found = await readAgreed(
        pool,
        blocks.map((block) => blockLogsRead(block, contracts)),
      )
      return found.map((outcome) => {
        if ('problem' in outcome) throw new ChainUnavailable(describe(outcome, 'eth_getLogs'))
        return outcome.value.filter(({ address }) => wanted.has(address))
      })
    },
    async readAgreedViews(calls) {
      const found = await readAgreed(pool, calls.map(viewRead), {
        spell: spellView,
        isBlank: ({ type }) => type === 'pruned',
        purpose: 'view',
      })
      return found.map((outcome) =>
        'problem' in outcome ? { type: 'unknown', message: outcome.problem } : outcome.value,
      )
    },
    async readAgreedTag(tag) {
      const needed = countNeeded(pool)
      const asked = pool.readFromEach([blockRead(tag)], needed)
      const replies = (await Promise.all(asked.map(({ replies: each }) => each))).flat()
      const heights = replies.flatMap((reply) => (reply.type === 'value' ? [reply.value?.number ?? null] : []))
      if (heights.length < needed) throw new ChainUnavailable(describe({ problem: why(replies) }, tag))
      return heights.reduce((low, height) => (low === null || height === null ? null : Math.min(low, height)))
    },
  }
}

type Agreed<T> = { readonly value: T } | { readonly problem: string }

interface Voice<T> {
  /** Equal for what counts as the same answer. */
  spell(value: T): string
  /** No usable answer. It counts only if as many nodes give it as have to agree, and do not agree on another. */
  isBlank(value: T): boolean
  readonly purpose?: 'read' | 'view'
}

function countNeeded(pool: PoolReads): number {
  return Math.min(2, pool.report().length)
}

async function readAgreed<T>(
  pool: PoolReads,
  reads: readonly Read<T>[],
  voice: Voice<T> = { spell: JSON.stringify, isBlank: () => false },
): Promise<readonly Agreed<T>[]> {
  const needed = countNeeded(pool)
  const first = await ask(pool, reads, needed, voice)
  const outcomes = reads.map((_, index) => agree(first, index, needed, voice))
  const isOpen = (outcome: Agreed<T>) => 'problem' in outcome || voice.isBlank(outcome.value)
  const open = outcomes.flatMap((outcome, index) => (isOpen(outcome) ? [index] : []))
  if (open.length === 0 || pool.report().length <= needed) return outcomes
  const more = await ask(
    pool,
    open.flatMap((index) => reads[index] ?? []),
    MAX_NODES,
    voice,
  )
  const settled = new Map(open.map((index, at) => [index, agree(more, at, needed, voice)]))
  return outcomes.map((outcome, index) => settled.get(index) ?? outcome)
}

async function ask<T>(pool: PoolReads, reads: readonly Read<T>[], nodes: number, { purpose }: Voice<T>) {
  return await Promise.all(pool.readFromEach(reads, nodes, purpose).map(({ replies }) => replies))
}

function agree<T>(
  nodes: readonly (readonly ReadReply<T>[])[],
  index: number,
  needed: number,
  { spell, isBlank }: Voice<T>,
): Agreed<T> {
  const replies = nodes.flatMap((each) => each[index] ?? [])
  const voices = new Map<string, { value: T; count: number }>()
  for (const reply of replies) {
    if (reply.type !== 'value') continue
    const text = spell(reply.value)
    const voice = voices.get(text)
    if (voice === undefined) voices.set(text, { value: reply.value, count: 1 })
    else voice.count += 1
  }
  const found = [...voices.values()].filter(({ value, count }) => count >= needed && !isBlank(value))
  const [only] = found
  if (only !== undefined && found.length === 1) return { value: only.value }
  const blank = [...voices.values()].find(({ value, count }) => count >= needed && isBlank(value))
  if (blank !== undefined) return { value: blank.value }
  if (voices.size > 1) return { problem: 'the RPC nodes do not agree' }
  return { problem: `${needed} RPC nodes must say the same, but fewer respond${why(replies)}` }
}

function why(replies: readonly ReadReply<unknown>[]): string {
  const failed = replies.find((reply) => reply.type !== 'value')
  return failed === undefined ? '' : ` (${failed.message})`
}

function describe(outcome: Agreed<unknown> | undefined, method: string): string {
  return `${method}: ${outcome !== undefined && 'problem' in outcome ? outcome.problem : 'no answer'}`
}

function heightRead(height: number): Read<AgreedBlock> {
  return {
    method: 'eth_getBlockByNumber',
    params: [toQuantity(height), false],
    decode(result) {
      if (result === null) throw new NotKnown('the RPC node does not have this block')
      const block = parseAgreedBlock(result)
      if (block.number !== height) throw new BadAnswer('the RPC node returned a different block')
      return block
    },
  }
}

function blockLogsRead({ hash }: Pick<Header, 'hash'>, contracts: readonly Address[]): Read<readonly EventLog[]> {
  const filter = contracts.length <= MAX_CONTRACTS ? { blockHash: hash, address: contracts } : { blockHash: hash }
  return { method: 'eth_getLogs', params: [filter], decode: (result) => parseBlockLogs(result, hash) }
}

function viewRead({ to, data, gas, blockHash }: ViewCall): Read<ViewOutcome> {
  return {
    method: 'eth_call',
    params: [{ to, data, gas: toQuantity(gas) }, { blockHash }],
    decode(result) {
      if (typeof result === 'string' && result.length > MAX_VIEW_CHARS) return { type: 'too_large' }
      if (typeof result !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(result))
        throw new BadAnswer('the result is not hex')
      return { type: 'value', data: result.toLowerCase() as Hex }
    },
    decodeError(error) {
      const outcome = classifyCallError(error)
      if (outcome?.type === 'reverted') return { value: { type: 'reverted', reason: outcome.reason } }
      if (outcome !== null) return { value: { type: 'reverted', reason: error.message.slice(0, 300) } }
      return isStateGone(error) ? { value: { type: 'pruned' } } : null
    },
  }
}

/** Nodes use different texts for a revert reason. */
function spellView(outcome: ViewOutcome): string {
  return outcome.type === 'value' ? outcome.data : outcome.type
}

/** The node has thrown the state of that block away. */
export function isStateGone(error: RpcError): boolean {
  return listErrorTexts(error).some((text) => PRUNED.test(text))
}
