/** Creates a timer. */

import { useContext, useState } from 'preact/hooks'
import type { LaneResource } from '../../api/api-resources.ts'
import { Service } from '../../live/service.ts'
import { useAct } from '../../live/use-act.ts'
import { FormActions } from '../form-actions.tsx'
import { FormField, TextInput } from '../form-field.tsx'
import { LaneSelect } from '../lane-select.tsx'
import { formTimer, type TimerDraft } from './timer-draft.ts'

interface NewTimerFormProps {
  readonly lanes: readonly LaneResource[]
  onDone(): void
}

export function NewTimerForm({ lanes, onDone }: NewTimerFormProps) {
  const { api } = useContext(Service)
  const { isBusy, problem, act, forget } = useAct()
  const [draft, setDraft] = useState<TimerDraft>({
    lane: 0,
    name: '',
    to: '',
    type: 'interval',
    blocks: '10',
    event: '',
    signature: '',
    args: '[]',
  })
  const [wrong, setWrong] = useState<string | null>(null)
  const set = (change: Partial<TimerDraft>) => {
    setDraft((before) => ({ ...before, ...change }))
    setWrong(null)
    forget()
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const lane = lanes[draft.lane]
    if (lane === undefined) return
    const formed = formTimer(draft, lane)
    if ('problem' in formed) return setWrong(formed.problem)
    if ((await act(() => api.createTimer(formed.timer))) !== null) onDone()
  }

  return (
    <form class="panel form-panel" onSubmit={submit} noValidate aria-label="New timer">
      <div class="form-row">
        <FormField id="timer-from" label="Signer, which sends and pays" problem={null}>
          {(control) => (
            <LaneSelect control={control} lanes={lanes} chosen={draft.lane} onChoose={(lane) => set({ lane })} />
          )}
        </FormField>
        <FormField id="timer-name" label="Name (optional)" problem={null}>
          {(control) => <TextInput control={control} value={draft.name} onType={(name) => set({ name })} isProse />}
        </FormField>
      </div>
      <div class="form-row">
        <FormField id="timer-type" label="Fires" problem={null}>
          {(control) => (
            <select
              class="select"
              {...control}
              value={draft.type}
              onChange={(event) => set({ type: event.currentTarget.value as TimerDraft['type'] })}
            >
              <option value="interval">every so many blocks</option>
              <option value="timeout">once, after so many blocks</option>
              <option value="watch">when the contract logs an event</option>
            </select>
          )}
        </FormField>
        {draft.type === 'watch' ? (
          <FormField id="timer-event" label="Event (optional: any)" problem={null}>
            {(control) => <TextInput control={control} value={draft.event} onType={(event) => set({ event })} />}
          </FormField>
        ) : (
          <FormField id="timer-blocks" label="Blocks" problem={null}>
            {(control) => (
              <TextInput control={control} value={draft.blocks} onType={(blocks) => set({ blocks })} mode="decimal" />
            )}
          </FormField>
        )}
      </div>
      <FormField id="timer-to" label="Contract to call" problem={null}>
        {(control) => <TextInput control={control} value={draft.to} onType={(to) => set({ to })} />}
      </FormField>
      <div class="form-row">
        <FormField id="timer-function" label="Function, e.g. poke(uint256) (optional)" problem={null}>
          {(control) => (
            <TextInput control={control} value={draft.signature} onType={(signature) => set({ signature })} />
          )}
        </FormField>
        <FormField id="timer-args" label="Arguments, as a JSON list" problem={null}>
          {(control) => <TextInput control={control} value={draft.args} onType={(args) => set({ args })} />}
        </FormField>
      </div>
      <FormActions submit="Create timer" canSubmit={!isBusy} problem={wrong ?? problem} onClose={onDone} />
    </form>
  )
}
