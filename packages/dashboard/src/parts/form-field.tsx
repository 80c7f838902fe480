/** A labelled field with what is wrong with it right below. */
import type { ComponentChildren } from 'preact'

interface FormFieldProps {
  readonly id: string
  readonly label: string
  readonly problem: string | null
  /** Gets what the control needs to be tied to its problem. */
  readonly children: (control: {
    id: string
    'aria-invalid': boolean
    'aria-describedby': string | undefined
  }) => ComponentChildren
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
