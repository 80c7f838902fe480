/** What needs attention, on top of everything else; nothing at all where nothing does. */
import type { Overview } from '../live/overview.ts'
import { findConcerns } from '../words/concerns.ts'
import { AlertIcon } from './icons.tsx'

export function ConcernList({ overview: { readiness, lanes, chains } }: { readonly overview: Overview }) {
  const concerns = findConcerns(readiness, lanes, chains)
  if (concerns.length === 0) return null
  return (
    <section class="concerns" aria-label="Needs attention">
      <ul>
        {concerns.map(({ level, text, href }) => (
          <li class={`concern is-${level}`} key={text}>
            <AlertIcon />
            {href === null ? text : <a href={href}>{text}</a>}
          </li>
        ))}
      </ul>
    </section>
  )
}
