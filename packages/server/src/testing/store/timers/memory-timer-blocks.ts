/** Blocks and fires of the model: what a write of blocks stores, and what it hands over to the signers. */
import type { Hash } from '../../../core/hex.ts'
import type { Lane } from '../../../core/lane/lane.ts'
import type { Fire, TimerId } from '../../../core/timer/timer.ts'
import { isTerminal, type Transaction } from '../../../core/transaction/transaction.ts'
import type { NewTransaction } from '../../../ports/store.ts'
import type { BlocksWrite, BlocksWriteResult, NewFire, TimerStore } from '../../../ports/timer-store.ts'
import { bindingSubjects } from '../../../store/rules/binding-subjects.ts'
import { changeTimers } from './memory-timer-commands.ts'
import {
  isTip,
  type MemoryChain,
  type MemoryFire,
  type MemoryPorts,
  type MemoryTimerState,
} from './memory-timer-state.ts'

type Outcomes = ReadonlyMap<Hash, Pick<Fire, 'state' | 'txId' | 'skipReason'>>

const MAX_ALIASES = 16

export function createMemoryTimerBlocks(
  state: MemoryTimerState,
  transactions: MemoryPorts['transactions'],
): Pick<TimerStore, 'writeBlocks' | 'saveConditions' | 'listWithdrawn'> {
  const { chainOf } = state

  async function countOpen(timerId: TimerId, fires: readonly MemoryFire[]): Promise<number> {
    const ids = fires.flatMap((fire) => (fire.timerId === timerId && fire.txId !== null ? [fire.txId] : []))
    return (await transactions.findTransactions(ids)).filter((tx) => !isTerminal(tx)).length
  }

  async function isOutOfFunds(lane: Lane): Promise<boolean> {
    const [status] = await transactions.listLaneStatus({ lane })
    return status?.health.problems.some(({ code }) => code === 'out_of_funds') ?? false
  }

  async function findSkipReason(
    { transaction, maxOpen, isRefused, isSkippedUnfunded }: BlocksWrite['handOffs'][number],
    { open, isFull }: { readonly open: number; readonly isFull: boolean },
  ): Promise<Fire['skipReason']> {
    if (isRefused === true) return 'refused_by_rule'
    if (isSkippedUnfunded && (await isOutOfFunds(transaction.intent.lane))) return 'low_funds'
    if (open + 1 > maxOpen) return 'overlap'
    return isFull ? 'queue_full' : null
  }

  /** What became of each that is to be handed over. */
  async function handOver({ lease, handOffs, maxQueued }: BlocksWrite): Promise<Outcomes> {
    const outcomes = new Map<Hash, Pick<Fire, 'state' | 'txId' | 'skipReason'>>()
    const turns = new Map<TimerId, number>()
    const { fires } = chainOf(lease.chainId)
    for (const handOff of handOffs) {
      const { deliverId, fireKey, timerId, transaction } = handOff
      if (fires.some((fire) => fire.fireKey === fireKey && fire.state === 'QUEUED')) continue
      const open = turns.get(timerId) ?? (await countOpen(timerId, fires))
      turns.set(timerId, open + 1)
      const { lane } = transaction.intent
      const line = (await transactions.countQueued()).filter(
        (depth) => depth.lane.chainId === lane.chainId && depth.lane.signer === lane.signer,
      )
      const queued = line.reduce((sum, depth) => sum + depth.queued, 0)
      const skipReason = await findSkipReason(handOff, { open, isFull: queued >= maxQueued })
      const [inserted] = skipReason === null ? await transactions.insertTransactions([transaction]) : []
      outcomes.set(
        deliverId,
        inserted?.type === 'inserted'
          ? { state: 'QUEUED', txId: transaction.id, skipReason: null }
          : { state: 'SKIPPED', txId: null, skipReason: skipReason ?? 'not_accepted' },
      )
    }
    return outcomes
  }

  /** The transactions of these fires that are in such a state. */
  async function findStates(
    { fires }: MemoryChain,
    isSuch: (tx: Transaction) => boolean,
  ): Promise<ReadonlySet<string>> {
    const ids = fires.flatMap(({ txId }) => txId ?? [])
    return new Set((await transactions.findTransactions(ids)).filter(isSuch).map(({ id }) => id))
  }

  async function hasUnjudged({ handOffs }: BlocksWrite): Promise<boolean> {
    const ruled = new Set((await transactions.listAccounts()).map(({ subject }) => subject))
    const isUnjudged = ({ judgedBy = [], ...entry }: NewTransaction) =>
      bindingSubjects(entry).some((subject) => ruled.has(subject) && !judgedBy.includes(subject))
    return handOffs.some(({ transaction, isRefused }) => isRefused !== true && isUnjudged(transaction))
  }

  async function writeBlocks(write: BlocksWrite): Promise<BlocksWriteResult> {
    const { lease, expected, blocks } = write
    const rewindTo = write.rewindTo ?? Number.POSITIVE_INFINITY
    const chain = chainOf(lease.chainId)
    if (!state.isHeldBy(lease)) return { type: 'fenced' }
    if (await hasUnjudged(write)) return { type: 'not_judged' }
    const last = blocks.at(-1) ?? chain.tip
    if (!isTip(chain.tip, expected) || last === null) return { type: 'stale' }
    const keys = new Set(write.fires.map(({ fireKey }) => fireKey))
    const [ended, queued] = [await findStates(chain, isNeverSent), await findStates(chain, isQueued)]
    const voided = chain.fires.filter(
      (fire) => fire.isWithdrawn && keys.has(fire.fireKey) && ended.has(fire.txId ?? ''),
    )
    chain.fires = chain.fires.filter((fire) => !voided.includes(fire))
    const outcomes = await handOver(write)
    chain.queue = structuredClone(write.queue)
    chain.tip = { height: last.height, hash: last.hash, stateRoot: last.stateRoot }
    chain.blocks = [...chain.blocks.filter(({ height }) => height <= rewindTo), ...structuredClone(blocks)]
    chain.fires = chain.fires
      .filter((fire) => fire.height <= rewindTo || fire.state === 'QUEUED')
      .map((fire) =>
        fire.height > rewindTo && !fire.isOrphaned
          ? { ...fire, isOrphaned: true, isWithdrawn: queued.has(fire.txId ?? '') }
          : fire,
      )
      .map((fire) =>
        fire.state === 'OBSERVED' && outcomes.has(fire.deliverId) ? { ...fire, ...outcomes.get(fire.deliverId) } : fire,
      )
    for (const fire of write.fires) addFire(chain, fire, { voided, outcomes })
    changeTimers(state, write.changes)
    return { type: 'written' }
  }

  return {
    writeBlocks,
    saveConditions: async (lease, results) => {
      if (!state.isHeldBy(lease)) return { type: 'fenced' }
      const chain = chainOf(lease.chainId)
      const known = new Map(results.map((result) => [result.deliverId, result]))
      chain.fires = chain.fires.map((fire) => {
        const result = known.get(fire.deliverId)
        if (fire.state !== 'OBSERVED' || result?.blockHash !== fire.blockHash) return fire
        const { condition, skipReason } = structuredClone(result)
        return { ...fire, condition, skipReason, state: skipReason === null ? 'OBSERVED' : 'SKIPPED' }
      })
      return { type: 'written' }
    },
    listWithdrawn: async (chainId, limit) => {
      const chain = chainOf(chainId)
      const queued = await findStates(chain, isQueued)
      const ids = chain.fires.flatMap(({ isWithdrawn, txId }) => (isWithdrawn && txId !== null ? [txId] : []))
      return ids.filter((id) => queued.has(id)).slice(0, limit)
    },
  }
}

const isQueued = ({ state }: Transaction): boolean => state === 'QUEUED'
/** Cancelled in line: no nonce was ever taken for it. */
const isNeverSent = (tx: Transaction): boolean => tx.state === 'CANCELLED' && !('nonce' in tx && tx.nonce !== null)

function addFire(
  chain: MemoryChain,
  fire: NewFire,
  { voided, outcomes }: { readonly voided: readonly MemoryFire[]; readonly outcomes: Outcomes },
): void {
  const index = chain.fires.findIndex(({ fireKey }) => fireKey === fire.fireKey)
  const known = chain.fires[index]
  if (known === undefined) {
    const before = voided.find(({ fireKey }) => fireKey === fire.fireKey)
    const names = before === undefined ? [] : [before.deliverId, ...before.aliases]
    const aliases = names.filter((name) => name !== fire.deliverId).slice(0, MAX_ALIASES)
    const fresh = { isOrphaned: false, isWithdrawn: false, isMetered: false, aliases, txId: null }
    chain.fires.push({ ...fire, ...fresh, ...outcomes.get(fire.deliverId) })
  } else if (known.state === 'QUEUED') {
    const isNew = fire.deliverId !== known.deliverId && !known.aliases.includes(fire.deliverId)
    const aliases = isNew ? [fire.deliverId, ...known.aliases].slice(0, MAX_ALIASES) : known.aliases
    const { height, blockHash, position } = fire
    chain.fires[index] = { ...known, height, blockHash, position, isOrphaned: false, isWithdrawn: false, aliases }
  }
}
