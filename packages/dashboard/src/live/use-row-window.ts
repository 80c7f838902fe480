/** A long list on screen: reads the rows that come into view, and reads those again when events came. */
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ApiProblem, ServiceAway } from '../api/api-failure.ts'
import type { Problem } from '../api/api-resources.ts'
import { type CursorPage, createRowWindow, type RowWindow } from './row-window.ts'
import { Service } from './service.ts'

const PAGE_SIZE = 50
const KEPT_PAGES = 8
/** Confirmations grow without an event, so rows are read again after a while even if none came. */
const FRESH_FOR_MS = 5_000

interface Shown {
  readonly first: number
  readonly last: number
  readonly isAtTop: boolean
}

export interface ShownRows<T extends { readonly id: string }> {
  readonly rows: RowWindow<T>
  readonly problem: Problem | null
  /** New rows above those on screen. */
  readonly above: number
}

/** `key` says what is listed: another key is another list. */
export function useRowWindow<T extends { readonly id: string }>(
  key: string,
  load: (after: string | null, limit: number) => Promise<CursorPage<T>>,
  shown: Shown,
): ShownRows<T> {
  const { pulse, hub } = useContext(Service)
  const [, redraw] = useState(0)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [above, setAbove] = useState(0)
  const latest = useRef(shown)
  latest.current = shown

  // `load` is not a dependency: the key stands for everything that it closes over.
  const rows = useMemo(
    () => createRowWindow<T>({ load: (after) => load(after, PAGE_SIZE), pageSize: PAGE_SIZE, keptPages: KEPT_PAGES }),
    [key],
  )

  useEffect(() => {
    let isGone = false
    setProblem(null)
    setAbove(0)
    let read = { version: -1, at: 0 }
    const leave = pulse.join(async () => {
      const { first, last, isAtTop } = latest.current
      const version = hub.version()
      if (rows.isLoaded() && version === read.version && Date.now() - read.at < FRESH_FOR_MS) return
      read = { version, at: Date.now() }
      try {
        const found = await rows.refresh(first, last, isAtTop)
        if (isGone) return
        setAbove(isAtTop ? 0 : found)
        setProblem(null)
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error
        if (!isGone) setProblem(error.problem)
      }
      redraw((count) => count + 1)
    })
    return () => {
      isGone = true
      leave()
    }
  }, [pulse, hub, rows])

  useEffect(() => {
    let isGone = false
    const show = (hasRead: boolean) => void (hasRead && !isGone && redraw((count) => count + 1))
    const read = async () => {
      show(await rows.ensure(shown.first, shown.last))
      // The page after it, so that scrolling on does not wait.
      if (!isGone) show(await rows.ensure(shown.first, shown.last + PAGE_SIZE))
    }
    read().catch((error: unknown) => {
      // The next beat asks again, and says what is wrong.
      if (!(error instanceof ServiceAway || error instanceof ApiProblem)) throw error
    })
    return () => {
      isGone = true
    }
  }, [rows, shown.first, shown.last])

  return { rows, problem, above }
}
