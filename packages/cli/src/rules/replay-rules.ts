/** What a rule set would have done with past transactions, in the order in which they were accepted. */
import type { Transaction } from '@drover/client'
import { judgeAll, type RuleSet, type SpendingRead, signerSubject, toAddress } from '@drover/server/core'

export interface Replayed {
  readonly id: string
  readonly at: string
  readonly rule: string
  readonly message: string
}

export interface Replay {
  add(tx: Transaction): void
  result(): {
    readonly allowed: number
    readonly refused: number
    readonly toApprove: number
    readonly first: readonly Replayed[]
  }
}

/** Refusals that are shown. */
const SHOWN = 20

export function createReplay(rules: RuleSet): Replay {
  const subject = signerSubject(toAddress(`0x${'0'.repeat(40)}`))
  let ledger: SpendingRead['accounts'][number]['ledger'] = {}
  let [allowed, refused, toApprove] = [0, 0, 0]
  const first: Replayed[] = []

  function add(tx: Transaction): void {
    const nowMs = Date.parse(tx.createdAt)
    const account = {
      subject,
      rules: { ...rules, mode: 'enforce' as const },
      ledger,
      version: 1,
      updatedAt: 0,
      updatedBy: '',
    }
    const wanted = {
      chainId: tx.chainId,
      to: tx.to === null ? null : toAddress(tx.to),
      data: tx.data as `0x${string}`,
      value: BigInt(tx.value),
      feeWei: tx.receipt === null ? null : BigInt(tx.receipt.fee),
    }
    const { verdicts, write } = judgeAll({ nowMs, accounts: [account], charges: [] }, [
      { txId: tx.id, subjects: [subject], wanted },
    ])
    ledger = write.accounts[0]?.ledger ?? ledger
    const [verdict] = verdicts
    if (verdict === undefined) return
    if (verdict.refused === null) allowed += 1
    else {
      refused += 1
      const { rule, message } = verdict.refused.refusal
      if (first.length < SHOWN) first.push({ id: tx.id, at: tx.createdAt, rule, message })
    }
    if (verdict.refused === null && verdict.needs.length > 0) toApprove += 1
  }

  return { add, result: () => ({ allowed, refused, toApprove, first }) }
}
