/** Shows what the key of this tab may use, or in its place why it may not. */
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { RightsContext, type Scope, useWhyNot } from '../live/rights.ts'
import { LockIcon } from './icons.tsx'
import { Loading } from './placeholders.tsx'

interface AllowedProps {
  readonly scope: Scope
  /** What it is about, as the subject of a sentence: "Sending". */
  readonly what: string
  readonly children: ComponentChildren
}

export function Allowed({ scope, what, children }: AllowedProps) {
  const why = useWhyNot(scope)
  return why === null ? children : <NotAllowed text={`${what} ${why}`} />
}

/** For a whole page whose content cannot be read without the scope. It has its title in any case. */
export function AllowedPage({ title, scope, what, children }: AllowedProps & { readonly title: string }) {
  const rights = useContext(RightsContext)
  const why = useWhyNot(scope)
  if (rights.type !== 'unknown' && why === null) return children
  return (
    <>
      <div class="page-head">
        <h1>{title}</h1>
      </div>
      {why === null ? <Loading /> : <NotAllowed text={`${what} ${why}`} />}
    </>
  )
}

interface RefusedProps {
  /** As the subject of a sentence, if nothing of a list is offered. */
  readonly what: string
  readonly why: string | null
  readonly isSomeOffered: boolean
}

/** Says why a list of actions is empty, or not complete. */
export function Refused({ what, why, isSomeOffered }: RefusedProps) {
  return why === null ? null : <NotAllowed text={`${isSomeOffered ? 'Doing more' : what} ${why}`} />
}

export function NotAllowed({ text }: { readonly text: string }) {
  return (
    <p class="not-allowed">
      <LockIcon />
      <span>{text}</span>
    </p>
  )
}
