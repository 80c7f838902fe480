/** Changes the policy of a lane: fields with their units, and what would change before it is saved. */
import { useContext, useState } from 'preact/hooks'
import type { LaneResource } from '../../api/api-resources.ts'
import { Service } from '../../live/service.ts'
import { useAct } from '../../live/use-act.ts'
import { diffPolicy, formPolicyChange, POLICY_FIELDS, type PolicyDiff, spellPolicy } from '../../words/policy-change.ts'
import { announce } from '../announcer.tsx'
import { FormField, TextInput } from '../form-field.tsx'

export function PolicyEditor({ lane }: { readonly lane: LaneResource }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div class="toolbar">
      <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Change the policy
      </button>
      {isOpen && <PolicyForm lane={lane} onDone={() => setOpen(false)} />}
    </div>
  )
}

function PolicyForm({ lane, onDone }: { readonly lane: LaneResource; onDone(): void }) {
  const { api } = useContext(Service)
  const { isBusy, problem, act, forget } = useAct()
  // As it was when the form was opened: what others change meanwhile is not undone by this.
  const [before] = useState(lane.policy)
  const [typed, setTyped] = useState(() => spellPolicy(lane.policy))
  const diff = diffPolicy(before, typed)
  const isReadable = diff.every(({ value }) => value !== undefined)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (diff.length === 0 || !isReadable) return
    const body = { chainId: lane.chainId, policy: formPolicyChange(diff) }
    if ((await act(() => api.changeSigner(lane.address, body))) === null) return
    announce('Policy saved')
    onDone()
  }

  return (
    <form class="panel form-panel policy-form" onSubmit={submit} noValidate aria-label="Policy">
      <div class="form-row">
        {POLICY_FIELDS.map(({ key, label, hint, options }) => (
          <FormField
            key={key}
            id={`policy-${lane.chainId}-${key}`}
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
      {problem !== null && (
        <p class="outcome is-bad" role="alert">
          {problem}
        </p>
      )}
      <div class="form-actions">
        <button type="submit" class="button is-primary" disabled={isBusy || diff.length === 0 || !isReadable}>
          Save {diff.length === 1 ? '1 change' : `${diff.length} changes`}
        </button>
        <button type="button" class="button is-quiet" onClick={onDone}>
          Close
        </button>
      </div>
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
