/** Saved filters as tabs, and the way to save the one that is set. */
import { useState } from 'preact/hooks'
import { readViews, removeView, saveView } from '../../../live/saved-views.ts'
import { formHash, type TransactionsRoute } from '../../../pages/route.ts'
import { CrossIcon } from '../../icons.tsx'

export function ViewBar({ route }: { readonly route: TransactionsRoute }) {
  const [views, setViews] = useState(() => readViews(localStorage))
  const [name, setName] = useState<string | null>(null)
  const hash = formHash(route)
  const isPlain = hash === formHash({ page: 'transactions', group: 'all', from: null })
  const isSaved = views.some((view) => view.hash === hash)

  function save(event: Event): void {
    event.preventDefault()
    if (name === null || name.trim() === '') return
    setViews(saveView(localStorage, { name, hash }))
    setName(null)
  }

  if (views.length === 0 && isPlain) return null
  return (
    <div class="views">
      {views.map((view) => (
        <span class="view" key={view.name}>
          <a href={view.hash} aria-current={view.hash === hash ? 'true' : undefined}>
            {view.name}
          </a>
          {view.hash === hash && (
            <button
              type="button"
              class="copy-button"
              title="Forget this view"
              onClick={() => setViews(removeView(localStorage, view.name))}
            >
              <CrossIcon />
              <span class="sr-only">Forget the view {view.name}</span>
            </button>
          )}
        </span>
      ))}
      {!isPlain && !isSaved && name === null && (
        <button type="button" class="link-button" onClick={() => setName('')}>
          Save this view
        </button>
      )}
      {name !== null && (
        <form class="view-form" onSubmit={save}>
          <input
            class="input"
            aria-label="Name of the view"
            placeholder="Name of the view"
            value={name}
            maxLength={40}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="button" disabled={name.trim() === ''}>
            Save
          </button>
        </form>
      )}
    </div>
  )
}
