/** What needs attention, on top of everything else; nothing at all where nothing does. */
import type { Overview } from '../live/overview.ts'
import { findConcerns } from '../words/concerns.ts'
import { CodedText } from './coded-text.tsx'
import { AlertIcon } from './icons.tsx'
import { TimedText } from './timed-text.tsx'

export function ConcernList({ overview: { readiness, lanes, chains } }: { readonly overview: Overview }) {
  const concerns = findConcerns(readiness, lanes, chains)
  if (concerns.length === 0) return null
  return (
    <section class="concerns" aria-label="Needs attention">
      <ul>
        {concerns.map(({ level, text, action, href }) => (
          <li class={`concern is-${level}`} key={text}>
            <AlertIcon />
            <div>
              <p>{href === null ? <TimedText text={text} /> : <a href={href}>{<TimedText text={text} />}</a>}</p>
              {action !== null && (
                <p class="concern-action">
                  <CodedText text={action} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
