/** Shown when there is no content: still loading, nothing there, or refused. */
import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/api-resources.ts'
import type { Resource } from '../live/use-resource.ts'
import { AlertIcon } from './icons.tsx'

export function Loading({ rows = 3 }: { readonly rows?: number }) {
  return (
    <div class="loading" role="status">
      <span class="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        <span class="loading-bar" key={row} />
      ))}
    </div>
  )
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-text">{children}</div>}
    </div>
  )
}

export function Failed({ problem }: { readonly problem: Problem }) {
  return (
    <div class="failed" role="alert">
      <AlertIcon />
      <div>
        <p class="failed-title">{problem.detail}</p>
        <p class="muted">
          {problem.title} <code>{problem.code}</code>
        </p>
      </div>
    </div>
  )
}

/** Shows what was loaded, or a placeholder. */
export function Loaded<T>({
  resource,
  rows = 3,
  children,
}: {
  readonly resource: Resource<T>
  readonly rows?: number
  readonly children: (value: T) => ComponentChildren
}) {
  switch (resource.type) {
    case 'loading':
      return <Loading rows={rows} />
    case 'failed':
      return <Failed problem={resource.problem} />
    case 'ready':
      return <>{children(resource.value)}</>
  }
}
