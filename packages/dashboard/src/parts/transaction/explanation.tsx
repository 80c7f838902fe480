/** Why a transaction is where it is, what Drover does next, and what a person can do about it. */
import type { ExplanationResource } from '../../api/api-resources.ts'
import { formatAge } from '../../format/format-time.ts'
import { useNow } from '../../live/use-now.ts'
import { formHash } from '../../pages/route.ts'
import { orderActions, recommendAction } from '../../words/action-order.ts'
import { STATE_NAMES } from '../../words/state-words.ts'
import { CodedText } from '../coded-text.tsx'
import { TimedText } from '../timed-text.tsx'
import { OperatorActions } from './operator-actions.tsx'

interface ExplanationProps {
  readonly txId: string
  readonly explanation: ExplanationResource
  /** Nothing comes next. */
  readonly isFinal: boolean
}

export function Explanation({ txId, explanation, isFinal }: ExplanationProps) {
  const { summary, nextAction, nextActionAt, blockedBy, options, advice, runbook } = explanation
  return (
    <div class="explanation">
      <p class="explanation-summary">
        <TimedText text={summary} />
      </p>
      {!isFinal && (
        <p class="muted">
          Next{nextActionAt !== null && <Until at={nextActionAt} />}: <TimedText text={nextAction} />
        </p>
      )}
      {advice !== null && (
        <p class="explanation-advice">
          <strong>What to do:</strong> <CodedText text={advice} />
        </p>
      )}
      {runbook !== null && (
        <p class="muted">
          Runbook: <code>{runbook}</code>
        </p>
      )}
      {blockedBy?.type === 'transaction' && (
        <p>
          Waiting for{' '}
          <a href={formHash({ page: 'transaction', key: blockedBy.transactionId })}>
            nonce {blockedBy.nonce} ({STATE_NAMES[blockedBy.state].toLowerCase()})
          </a>
        </p>
      )}
      {options.length > 0 && (
        <OperatorActions
          txId={txId}
          options={orderActions(explanation)}
          recommended={recommendAction(explanation)?.action ?? null}
        />
      )}
    </div>
  )
}

function Until({ at }: { readonly at: string }) {
  const ms = Date.parse(at) - useNow()
  return (
    <time class="figure" dateTime={at} title={at}>
      {ms < 1_000 ? ', now' : `, in ${formatAge(ms)}`}
    </time>
  )
}
