/** The end of a form: what went wrong, the button that submits it, and the one that closes it. */
interface FormActionsProps {
  readonly submit: string
  readonly canSubmit: boolean
  /** Left out: shown elsewhere. */
  readonly problem?: string | null
  onClose(): void
}

export function FormActions({ submit, canSubmit, problem = null, onClose }: FormActionsProps) {
  return (
    <>
      {problem !== null && (
        <p class="outcome is-bad" role="alert">
          {problem}
        </p>
      )}
      <div class="form-actions">
        <button type="submit" class="button is-primary" disabled={!canSubmit}>
          {submit}
        </button>
        <button type="button" class="button is-quiet" onClick={onClose}>
          Close
        </button>
      </div>
    </>
  )
}
