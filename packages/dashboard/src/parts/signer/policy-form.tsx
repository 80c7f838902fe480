/** Changes the policy of a lane: fields with their units, what would change before it is saved, and the reason. */
import { useContext, useState } from 'preact/hooks'
import type { LaneResource } from '../../api/api-resources.ts'
import { Service } from '../../live/service.ts'
import { useAct } from '../../live/use-act.ts'
import { diffPolicy, formPolicyChange, POLICY_FIELDS, type PolicyDiff, spellPolicy } from '../../words/policy-change.ts'
import { announce } from '../announcer.tsx'
import { FormActions } from '../form-actions.tsx'
import { FormField, TextInput } from '../form-field.tsx'

interface PolicyFormProps {
  readonly lane: LaneResource
  /** The fields to offer. Left out: all. */
  readonly only?: readonly string[]
  onDone(): void
}

export function PolicyForm({ lane, only, onDone }: PolicyFormProps) {
  const { api } = useContext(Service)
  const { isBusy, problem, act, forget } = useAct()
  // As it was when the form was opened: what others change meanwhile is not undone by this.
  const [before] = useState(lane.policy)
  const [typed, setTyped] = useState(() => spellPolicy(lane.policy))
  const [reason, setReason] = useState('')
  const diff = diffPolicy(before, typed)
  const isReadable = diff.every(({ value }) => value !== undefined)
  const canSave = !isBusy && diff.length > 0 && isReadable && reason.trim() !== ''
  const idOf = (name: string) => `policy-${lane.address}-${lane.chainId}-${name}`

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (!canSave) return
    const body = { chainId: lane.chainId, policy: formPolicyChange(diff), reason }
    if ((await act(() => api.changeSigner(lane.address, body))) === null) return
    announce('Policy saved')
    onDone()
  }

  return (
    <form class="panel form-panel policy-form" onSubmit={submit} noValidate aria-label="Policy">
      <div class="form-row">
        {POLICY_FIELDS.filter(({ key }) => only?.includes(key) ?? true).map(({ key, label, hint, options }) => (
          <FormField
            key={key}
            id={idOf(key)}
            label={`${label} (${hint})`}
            problem={diff.some((each) => each.key === key && each.value === undefined) ? `must be ${hint}` : null}
          >
            {(control) => {
              const set = (text: string) => {
                setTyped({ ...typed, [key]: text })
                forget()
              }
              if (options === undefined) {
                return <TextInput control={control} value={typed[key] ?? ''} onType={set} />
              }
              return (
                <select
                  class="select"
                  {...control}
                  value={typed[key]}
                  onChange={(event) => set(event.currentTarget.value)}
                >
                  {options.map((option) => (
                    <option key={option}>{option}</option>
                  ))}
                </select>
              )
            }}
          </FormField>
        ))}
      </div>
      <DiffTable diff={diff} />
      <FormField id={idOf('reason')} label="Reason (stored in the history)" problem={null}>
        {(control) => <TextInput control={control} value={reason} onType={setReason} isProse />}
      </FormField>
      <FormActions
        submit={diff.length === 1 ? 'Save 1 change' : `Save ${diff.length} changes`}
        canSubmit={canSave}
        problem={problem}
        onClose={onDone}
      />
    </form>
  )
}

function DiffTable({ diff }: { readonly diff: readonly PolicyDiff[] }) {
  if (diff.length === 0) return <p class="muted">Nothing is changed yet.</p>
  return (
    <ul class="diff" aria-label="What changes">
      {diff.map(({ key, label, from, to }) => (
        <li key={key}>
          <span>{label}</span>
          <del>{from}</del>
          <ins>{to}</ins>
          {key === 'preset' && <span class="muted">and every other field of the preset</span>}
        </li>
      ))}
    </ul>
  )
}
