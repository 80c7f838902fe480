/**
 * A long list of which only a few pages are kept. Pages are read by cursor, so the list is known as far as it was
 * scrolled: of each page seen the cursor stays (a short text), of the rows only those near the ones on screen. What was
 * dropped is read again when it is scrolled back to. So memory does not grow with the number of rows.
 */
export interface CursorPage<T> {
  readonly items: readonly T[]
  readonly next: string | null
}

export interface RowWindowOptions<T> {
  load(after: string | null): Promise<CursorPage<T>>
  readonly pageSize: number
  /** How many pages of rows are kept at most. */
  readonly keptPages: number
}

export type RowWindow<T extends { readonly id: string }> = ReturnType<typeof createRowWindow<T>>

export function createRowWindow<T extends { readonly id: string }>(options: RowWindowOptions<T>) {
  const { load, pageSize, keptPages } = options
  /** Where each page starts. The last one may not have been read yet. */
  let cursors: (string | null)[] = [null]
  /** Rows in the last page; null while its end is not known. */
  let endRows: number | null = null
  const pages = new Map<number, readonly T[]>()
  const inProgress = new Map<number, Promise<void>>()

  const pageOf = (row: number) => Math.floor(Math.max(0, row) / pageSize)

  function pagesIn(first: number, last: number): readonly number[] {
    const to = Math.min(pageOf(last), cursors.length - 1)
    const from = Math.min(pageOf(first), to)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  }

  function store(page: number, { items, next }: CursorPage<T>): void {
    pages.set(page, items)
    if (next === null) {
      forgetAfter(page)
      endRows = items.length
    } else if (cursors[page + 1] !== next) {
      // What follows is not what it was.
      forgetAfter(page)
      cursors.push(next)
      endRows = null
    }
  }

  function forgetAfter(page: number): void {
    cursors = cursors.slice(0, page + 1)
    for (const known of pages.keys()) if (known > page) pages.delete(known)
  }

  /** Farthest first. */
  function dropFar(from: readonly number[]): void {
    const middle = ((from[0] ?? 0) + (from.at(-1) ?? 0)) / 2
    const byDistance = [...pages.keys()].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle))
    for (const page of byDistance.slice(0, Math.max(0, pages.size - keptPages))) pages.delete(page)
  }

  function read(page: number, keep: (read: CursorPage<T>) => void): Promise<void> {
    const running = inProgress.get(page)
    if (running !== undefined) return running
    const cursor = cursors[page]
    if (cursor === undefined) return Promise.resolve()
    const reading = load(cursor)
      .then((answer) => {
        // The list may have changed under it.
        if (cursors[page] === cursor) keep(answer)
      })
      .finally(() => inProgress.delete(page))
    inProgress.set(page, reading)
    return reading
  }

  return {
    /** Rows to make room for; the last ones may not have been read yet. */
    count: () => (cursors.length - 1) * pageSize + (endRows ?? pageSize),
    isEndKnown: () => endRows !== null,
    isLoaded: () => pages.size > 0,
    row: (index: number): T | null => pages.get(pageOf(index))?.[index % pageSize] ?? null,
    keptRows: () => [...pages.values()].reduce((sum, rows) => sum + rows.length, 0),

    /** Reads what is missing of these rows; false if nothing was. */
    async ensure(first: number, last: number): Promise<boolean> {
      const wanted = pagesIn(first, last)
      const missing = wanted.filter((page) => !pages.has(page))
      for (const page of missing) await read(page, (answer) => store(page, answer))
      dropFar(wanted)
      return missing.length > 0
    },

    /**
     * Reads these rows again. Away from the top the first page keeps its rows, so that nothing moves under the reader.
     * Returns how many rows are new above.
     */
    async refresh(first: number, last: number, isAtTop: boolean): Promise<number> {
      let above = 0
      for (const page of pagesIn(first, last)) {
        await read(page, (answer) => {
          const kept = pages.get(page)
          if (page > 0 || isAtTop || kept === undefined) return store(page, answer)
          const fresh = new Map(answer.items.map((item) => [item.id, item]))
          pages.set(
            page,
            kept.map((item) => fresh.get(item.id) ?? item),
          )
          const known = new Set(kept.map(({ id }) => id))
          const firstKnown = answer.items.findIndex(({ id }) => known.has(id))
          above = firstKnown === -1 ? answer.items.length : firstKnown
        })
      }
      return above
    },
  }
}
