/** Filters that a person wants again, kept in this browser. */
export interface SavedView {
  readonly name: string
  /** The address after #. */
  readonly hash: string
}

const NAME = 'drover.views'
const MAX_VIEWS = 20
const MAX_NAME_LENGTH = 40

type ViewStorage = Pick<Storage, 'getItem' | 'setItem'>

/** What someone else wrote there, or a browser that keeps nothing, is no views. */
export function readViews(storage: ViewStorage): readonly SavedView[] {
  try {
    const parsed: unknown = JSON.parse(storage.getItem(NAME) ?? '[]')
    return Array.isArray(parsed) ? parsed.filter(isView).slice(0, MAX_VIEWS) : []
  } catch {
    return []
  }
}

/** The newest last; the same name again replaces the old one. */
export function saveView(storage: ViewStorage, { name, hash }: SavedView): readonly SavedView[] {
  const view = { name: name.trim().slice(0, MAX_NAME_LENGTH), hash }
  const others = readViews(storage).filter((known) => known.name !== view.name)
  return write(storage, [...others, view].slice(-MAX_VIEWS))
}

export function removeView(storage: ViewStorage, name: string): readonly SavedView[] {
  return write(
    storage,
    readViews(storage).filter((known) => known.name !== name),
  )
}

function write(storage: ViewStorage, views: readonly SavedView[]): readonly SavedView[] {
  storage.setItem(NAME, JSON.stringify(views))
  return views
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false
  const { name, hash } = value as Partial<Record<keyof SavedView, unknown>>
  return typeof name === 'string' && typeof hash === 'string' && hash.startsWith('#/transactions')
}
