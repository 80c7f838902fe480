/** What an operator may do to a transaction now. Each act says what it will do first, and asks for a reason. */
import { useContext, useState } from 'preact/hooks'
import type { OperatorAction } from '../../api/api-client.ts'
import { ApiProblem, ServiceAway } from '../../api/api-failure.ts'
import type { ExplanationResource } from '../../api/api-resources.ts'
import { type Scope, useOffered } from '../../live/rights.ts'
import { Service } from '../../live/service.ts'
import { Refused } from '../allowed.tsx'
import { announce } from '../announcer.tsx'
import { FormField, TextInput } from '../form-field.tsx'
import { Opened } from '../opened.tsx'
import { type FieldProblems, placeProblem } from './place-problem.ts'

type Options = Readonly<ExplanationResource['options']>
type FieldName = 'reason' | 'hash'

const FIELDS: readonly FieldName[] = ['reason', 'hash']
const UNKNOWN_END = 'It may or may not have been done. Check the history.'

export const ACTION_NAMES: Readonly<Record<OperatorAction, string>> = {
  approve: 'Approve',
  reject: 'Reject',
  suspend: 'Suspend',
  resume: 'Resume',
  retry: 'Retry',
  cancel: 'Cancel',
  resolve: 'Resolve',
  requeue: 'Requeue',
  close: 'Close',
  'speed-up': 'Speed up',
}

/** The scope that an action needs. */
export function scopeOf(action: OperatorAction): Scope {
  return action === 'approve' || action === 'reject' ? 'approve' : 'operate'
}

interface OperatorActionsProps {
  readonly txId: string
  readonly options: Options
  /** What the service advises; null: nothing in particular. */
  readonly recommended: OperatorAction | null
  /** Its form is open from the start. */
  readonly first?: OperatorAction | null
}

export function OperatorActions({ txId, options, recommended, first = null }: OperatorActionsProps) {
  const [chosen, setChosen] = useState(first)
  const { offered, refused } = useOffered(options, ({ action }) => scopeOf(action))
  // It may have stopped being possible since it was chosen.
  const option = offered.find(({ action }) => action === chosen)
  return (
    <div class="operator">
      {offered.length > 0 && (
        <ul class="operator-choice" aria-label="What you can do">
          {offered.map(({ action, effect }) => (
            <li key={action}>
              <button
                type="button"
                class={`button ${action === recommended ? 'is-primary' : ''}`}
                title={effect}
                aria-expanded={action === chosen}
                onClick={() => setChosen(action === chosen ? null : action)}
              >
                {ACTION_NAMES[action]}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Refused what="Acting on it" why={refused} isSomeOffered={offered.length > 0} />
      {option !== undefined && (
        <Opened key={option.action} onClose={() => setChosen(null)}>
          <ActionForm txId={txId} option={option} onDone={() => setChosen(null)} />
        </Opened>
      )}
    </div>
  )
}

interface ActionFormProps {
  readonly txId: string
  readonly option: Options[number]
  onDone(): void
}

function ActionForm({ txId, option: { action, effect }, onDone }: ActionFormProps) {
  const { typed, type, failure, isBusy, submit } = useAction(txId, action, onDone)
  const name = ACTION_NAMES[action]
  return (
    <form class="operator-form" onSubmit={submit} noValidate>
      <p>
        <strong>{name}</strong> {effect}.
      </p>
      {action === 'resolve' && (
        <FormField
          id={`act-${txId}-hash`}
          label="Hash of the transaction that used the nonce (optional: Drover can find it)"
          problem={failure.fields.hash ?? null}
        >
          {(control) => <TextInput control={control} value={typed.hash} onType={(text) => type('hash', text)} />}
        </FormField>
      )}
      <FormField
        id={`act-${txId}-reason`}
        label="Reason (stored in the history)"
        problem={failure.fields.reason ?? null}
      >
        {(control) => (
          <TextInput control={control} value={typed.reason} onType={(text) => type('reason', text)} isProse />
        )}
      </FormField>
      <button type="submit" class="button is-primary" disabled={isBusy}>
        {name} this transaction
      </button>
      {failure.message !== null && (
        <p class="outcome is-bad" role="alert">
          {failure.message}
        </p>
      )}
    </form>
  )
}

interface Failure {
  readonly fields: FieldProblems<FieldName>
  readonly message: string | null
}

const NO_FAILURE: Failure = { fields: {}, message: null }

function useAction(txId: string, action: OperatorAction, onDone: () => void) {
  const { api, pulse } = useContext(Service)
  const [typed, setTyped] = useState<Readonly<Record<FieldName, string>>>({ reason: '', hash: '' })
  const [failure, setFailure] = useState(NO_FAILURE)
  const [isBusy, setBusy] = useState(false)

  function type(field: FieldName, text: string): void {
    setTyped((before) => ({ ...before, [field]: text }))
    setFailure(NO_FAILURE)
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    const { reason, hash } = typed
    setBusy(true)
    const failed = await findFailure(() =>
      api.operate(txId, action, action === 'resolve' && hash.trim() !== '' ? { reason, hash } : { reason }),
    )
    setBusy(false)
    pulse.beatSoon()
    if (failed !== null) return setFailure(failed)
    announce(`${ACTION_NAMES[action]}: done`)
    onDone()
  }

  return { typed, type, failure, isBusy, submit }
}

/** Null if it was done. */
async function findFailure(act: () => Promise<unknown>): Promise<Failure | null> {
  try {
    await act()
    return null
  } catch (error) {
    if (error instanceof ServiceAway) return { fields: {}, message: `${error.message} ${UNKNOWN_END}` }
    if (error instanceof ApiProblem) return placeProblem(error.problem, FIELDS)
    throw error
  }
}
