/** A labelled field with what is wrong with it right below. */
import type { ComponentChildren } from 'preact'

export interface Control {
  readonly id: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
}

interface FormFieldProps {
  readonly id: string
  readonly label: string
  readonly problem: string | null
  /** Gets what the control needs to be tied to its problem. */
  readonly children: (control: Control) => ComponentChildren
}

export function FormField({ id, label, problem, children }: FormFieldProps) {
  const problemId = `${id}-problem`
  return (
    <div class={`field ${problem === null ? '' : 'has-problem'}`}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-invalid': problem !== null, 'aria-describedby': problem === null ? undefined : problemId })}
      {problem !== null && (
        <p class="field-problem" id={problemId}>
          {problem}
        </p>
      )}
    </div>
  )
}

interface TextInputProps {
  readonly control: Control
  readonly value: string
  onType(text: string): void
  readonly mode?: 'decimal'
  /** Words rather than digits. */
  readonly isProse?: boolean
}

export function TextInput({ control, value, onType, mode, isProse = false }: TextInputProps) {
  return (
    <input
      class={`input ${isProse ? '' : 'mono'}`}
      type="text"
      {...control}
      {...(mode !== undefined && { inputMode: mode })}
      value={value}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => onType(event.currentTarget.value)}
    />
  )
}
