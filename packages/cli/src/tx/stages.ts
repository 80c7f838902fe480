/** The progress of a transaction, in steps that a person can follow. */
import { hasPassed, type Transaction } from '@drover/client'

export interface Step {
  readonly name: string
  readonly reached: boolean
  /** What is known about it; empty before it is reached. */
  readonly detail: string
}

export function listSteps(tx: Transaction): readonly Step[] {
  const { nonce, hash, attempts, inclusion, confirmations } = tx
  const isSent = hasPassed(tx, 'submitted')
  const tries = attempts > 1 ? ` (attempt ${attempts})` : ''
  const isFinal = hasPassed(tx, 'final')
  const enough = typeof confirmations.required === 'number' ? confirmations.count >= confirmations.required : isFinal
  return [
    { name: 'accepted', reached: true, detail: tx.id },
    { name: 'nonce', reached: nonce !== null, detail: nonce === null ? '' : String(nonce) },
    { name: 'sent', reached: isSent, detail: isSent ? `${hash ?? ''}${tries}` : '' },
    { name: 'mined', reached: hasPassed(tx, 'mined'), detail: describeBlock(tx) },
    {
      name: 'confirmations',
      reached: inclusion !== null && (enough || isFinal),
      detail: inclusion === null ? '' : describeConfirmations(tx),
    },
    { name: 'final', reached: isFinal, detail: isFinal ? tx.state : '' },
  ]
}

function describeBlock({ inclusion, receipt }: Transaction): string {
  if (inclusion === null) return ''
  return `block ${inclusion.blockNumber}${receipt?.status === 'reverted' ? ', reverted' : ''}`
}

function describeConfirmations({ confirmations: { count, required, newForks } }: Transaction): string {
  const goal = typeof required === 'number' ? `${Math.min(count, required)}/${required}` : `${count}, until ${required}`
  return newForks === 0 ? goal : `${goal} (${newForks} forks)`
}
