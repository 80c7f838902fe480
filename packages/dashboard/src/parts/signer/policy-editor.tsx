/** A button that opens the form for the policy of a lane. */
import { useState } from 'preact/hooks'
import type { LaneResource } from '../../api/api-resources.ts'
import { PolicyForm } from './policy-form.tsx'

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
