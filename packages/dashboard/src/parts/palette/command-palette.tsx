/** Opens anything by typing a part of it: Ctrl K or ⌘K, arrows to choose, Enter to open. */
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ServiceAway } from '../../api/api-failure.ts'
import type { LaneResource } from '../../api/api-resources.ts'
import { Service } from '../../live/service.ts'
import { SearchIcon } from '../icons.tsx'
import { findPages, findSigners, findTransactions, type Match } from './find-matches.ts'

const TYPING_PAUSE_MS = 120
const AWAY_PAUSE_MS = 1_000

let open: () => void = () => {}

export function openPalette(): void {
  open()
}

export function CommandPalette({ lanes }: { readonly lanes: readonly LaneResource[] }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')

  // Before anything is painted: who can see the page can use the keys.
  useLayoutEffect(() => {
    open = () => {
      if (dialog.current?.open === false) dialog.current.showModal()
    }
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', listen)
    return () => {
      window.removeEventListener('keydown', listen)
      open = () => {}
    }
  }, [])

  function close(): void {
    setText('')
    dialog.current?.close()
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onCancel={() => setText('')}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {/* Always there, so that not one key typed after Ctrl K is lost. */}
      <Search text={text} onType={setText} lanes={lanes} onOpened={close} />
    </dialog>
  )
}

interface SearchProps {
  readonly text: string
  onType(text: string): void
  readonly lanes: readonly LaneResource[]
  onOpened(): void
}

function Search({ text, onType, lanes, onOpened }: SearchProps) {
  const [chosen, setChosen] = useState(0)
  const { found, isSearching } = useTransactions(text)
  const matches = [...found, ...findSigners(text, lanes), ...findPages(text)]
  const current = Math.min(chosen, matches.length - 1)

  function visit(match: Match | undefined): void {
    if (match === undefined) return
    onOpened()
    setChosen(0)
    location.href = match.href
  }

  function steer(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setChosen((current + step + matches.length) % Math.max(1, matches.length))
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      visit(matches[current])
    }
  }

  return (
    <>
      <div class="palette-field">
        <SearchIcon />
        <input
          type="text"
          role="combobox"
          aria-label="Search"
          aria-expanded="true"
          aria-controls="palette-matches"
          aria-activedescendant={matches.length === 0 ? undefined : `match-${current}`}
          placeholder="Id, hash, nonce, request id, key=value, signer or page"
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            onType(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={steer}
        />
        <kbd>Esc</kbd>
      </div>
      <div class="palette-matches" id="palette-matches" role="listbox" aria-label="Matches" tabIndex={-1}>
        {matches.map((match, index) => (
          <MatchRow key={match.href} match={match} index={index} isCurrent={index === current} onVisit={visit} />
        ))}
      </div>
      {matches.length === 0 && (
        <p class="palette-none" role="status">
          {isSearching ? 'Searching…' : 'Nothing found. Request ids match from their beginning, metadata as key=value.'}
        </p>
      )}
    </>
  )
}

interface MatchRowProps {
  readonly match: Match
  readonly index: number
  readonly isCurrent: boolean
  onVisit(match: Match): void
}

function MatchRow({ match, index, isCurrent, onVisit }: MatchRowProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isCurrent) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and steers with the keyboard
    <div
      ref={row}
      class="palette-match"
      id={`match-${index}`}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      onClick={() => onVisit(match)}
    >
      <span class="palette-kind">{match.kind}</span>
      <span class="palette-title">{match.title}</span>
      <span class="palette-note">{match.note}</span>
    </div>
  )
}

/** Asked for after a pause in typing; an answer to an older text is dropped. */
function useTransactions(text: string): { readonly found: readonly Match[]; readonly isSearching: boolean } {
  const { api } = useContext(Service)
  const [answer, setAnswer] = useState<{ readonly text: string; readonly found: readonly Match[] }>({
    text: '',
    found: [],
  })
  useEffect(() => {
    let isOld = false
    const ask = async () => {
      const found = await findTransactions(text, api).catch((error: unknown) => {
        if (error instanceof ServiceAway) return null
        throw error
      })
      if (isOld) return
      // No answer is not the answer that there is nothing.
      if (found === null) timer = setTimeout(ask, AWAY_PAUSE_MS)
      else setAnswer({ text, found })
    }
    let timer = setTimeout(ask, TYPING_PAUSE_MS)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [text, api])
  const isSearching = answer.text !== text
  return { found: isSearching ? [] : answer.found, isSearching }
}
