/** Checks what the database says about a transaction against the chain. */
import type { Hash } from '../../../server/src/core/hex.ts'
import {
  type Finished,
  inclusionOf,
  isTerminal,
  type Transaction,
  type TxId,
} from '../../../server/src/core/transaction/transaction.ts'
import { findMemoryTransaction, type MemoryState } from '../../../server/src/testing/store/memory-state.ts'
import type { Network } from '../chain/network.ts'
import { depthOf, type Setup } from '../cluster/setup.ts'
import { Violation } from '../run/violation.ts'

interface CheckPorts {
  readonly network: Network
  readonly state: MemoryState
  readonly setup: Setup
}

export function createTransactionCheck({ network, state, setup }: CheckPorts): (id: TxId) => void {
  const ended = new Map<TxId, Transaction>()
  const hashes = new Map<TxId, readonly Hash[]>()
  const isMined = ({ hash }: { readonly hash: Hash }) => network.canonicalBlockOf(hash) !== null

  function checkEnd(tx: Transaction): void {
    const before = ended.get(tx.id)
    if (before !== undefined && before !== tx)
      throw new Violation('G6', `${describe(tx)} changed after it was ${before.state}`)
    if (isTerminal(tx)) ended.set(tx.id, tx)
  }

  function checkAttempts(tx: Transaction): void {
    const now = tx.attempts.map(({ hash }) => hash)
    const lost = (hashes.get(tx.id) ?? []).find((hash) => !now.includes(hash))
    if (lost !== undefined) throw new Violation('G4', `${describe(tx)} forgot ${lost}`)
    hashes.set(tx.id, now)
  }

  /** Whoever named a nonce gets that one or none. */
  function checkNonce({ attempts, intent, ...tx }: Transaction): void {
    const other = attempts.find(({ nonce }) => intent.exactNonce !== undefined && nonce !== intent.exactNonce)
    if (other !== undefined)
      throw new Violation('G1', `${tx.id} asked for nonce ${intent.exactNonce} and was signed with ${other.nonce}`)
  }

  function checkExecution(tx: Transaction): void {
    const executed = tx.attempts.filter((attempt) => attempt.kind !== 'cancel' && isMined(attempt))
    if (executed.length > 1) throw new Violation('G3', `${describe(tx)} was executed ${executed.length} times`)
    if (!isTerminal(tx)) return
    if (tx.state === 'CONFIRMED' || tx.state === 'FAILED_FINAL') checkFinal(tx, executed[0]?.hash ?? null)
    else if (executed.length > 0) throw new Violation('G3', `${describe(tx)} ended as ${tx.state} and was executed`)
  }

  function checkFinal(tx: Finished, executed: Hash | null): void {
    const { inclusion } = tx
    const block = network.canonicalAt(inclusion.blockNumber)
    const isElsewhere = block?.hash !== inclusion.blockHash && network.canonicalBlockOf(inclusion.txHash) !== null
    if (isElsewhere && network.hasBrokenFinality()) return
    if (block?.hash !== inclusion.blockHash)
      throw new Violation('G6', `${describe(tx)} is final in block ${inclusion.blockNumber}, which is not canonical`)
    const mined = block.inclusions.get(inclusion.txHash)
    if (mined === undefined) throw new Violation('G6', `${describe(tx)} is final in a block that does not hold it`)
    if (mined.succeeded !== (tx.state === 'CONFIRMED'))
      throw new Violation('G3', `${describe(tx)} says the wrong result`)
    const depth = network.highest() - inclusion.blockNumber
    const required = depthOf(tx.intent.finality ?? setup.chainSettings.finality, setup)
    if (depth < required)
      throw new Violation('G6', `${describe(tx)} is final after ${depth} of ${required} confirmations`)
    if (tx.subState === 'resolved') return
    if (executed !== inclusion.txHash)
      throw new Violation('G3', `${describe(tx)} is ${tx.state} by bytes that are not its own`)
  }

  /** The block that it names exists, on any fork. */
  function checkBlock(tx: Transaction): void {
    const inclusion = inclusionOf(tx)
    if (inclusion === null || network.everMade(inclusion.blockHash)) return
    throw new Violation('G6', `${describe(tx)} is in block ${inclusion.blockNumber}, which was never made`)
  }

  /** A reported cause has to be true: a foreign transaction has the nonce. */
  function checkCause(tx: Transaction): void {
    if (tx.state !== 'STUCK' || tx.subState !== 'foreign_nonce') return
    const used = (network.head().accounts.get(tx.intent.lane.signer)?.nonce ?? 0) > tx.nonce
    const own = tx.attempts.some((attempt) => attempt.nonce === tx.nonce && isMined(attempt))
    if (!used || own)
      throw new Violation('G3', `${describe(tx)} says that its nonce was used by somebody else, and it was not`)
  }

  return (id) => {
    const tx = findMemoryTransaction(state, id)?.tx
    if (tx === undefined) throw new Violation('G7', `transaction ${id} vanished`)
    checkEnd(tx)
    checkAttempts(tx)
    checkNonce(tx)
    checkBlock(tx)
    checkExecution(tx)
    checkCause(tx)
  }
}

export function describe(tx: Transaction): string {
  const kinds = tx.attempts.map(({ kind, nonce, hash }) => `${kind} ${nonce} ${hash.slice(0, 8)}`).join(', ')
  return `${tx.id} ${tx.state}/${tx.subState}${tx.error === null ? '' : `/${tx.error.code}`} [${kinds}]`
}
