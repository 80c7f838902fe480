/** A button that opens the form for the policy of a lane. */
import { useState } from 'preact/hooks'
import type { LaneResource } from '../../api/api-resources.ts'
import { Allowed } from '../allowed.tsx'
import { Opened } from '../opened.tsx'
import { PolicyForm } from './policy-form.tsx'

export function PolicyEditor({ lane }: { readonly lane: LaneResource }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <div class="toolbar">
      <Allowed scope="admin" what="Changing the policy">
        <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Change the policy
        </button>
        {isOpen && (
          <Opened onClose={close}>
            <PolicyForm lane={lane} onDone={close} />
          </Opened>
        )}
      </Allowed>
    </div>
  )
}
