/** Explains a queued transaction that waits for a block or a time of its chain. */
import type { Queued } from '../transaction/transaction.ts'
import type { ExplainContext, Finding } from './explanation.ts'
import { spellTime } from './spell-time.ts'

export function explainScheduled(tx: Queued, { head, headTime = null }: ExplainContext): Finding | null {
  const { notBefore } = tx.intent
  if (tx.subState !== 'scheduled' || notBefore === undefined) return null
  const isHeight = 'height' in notBefore
  const until = isHeight ? `block ${notBefore.height}` : spellTime(notBefore.timeMs)
  const now = isHeight ? head : headTime
  const at =
    now === null ? '' : isHeight ? ` The chain is at block ${now}.` : ` The newest block is of ${spellTime(now)}.`
  return {
    cause: 'scheduled',
    summary: `It may not be sent before ${until}.${at} It has no nonce yet.`,
    nextAction: `It takes its turn in the queue once the chain has ${isHeight ? `block ${notBefore.height}` : 'a block of that time'}. Others go first until then.`,
    nextActionAt: isHeight ? null : notBefore.timeMs,
  }
}
