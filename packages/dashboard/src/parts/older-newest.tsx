/** The two steps through a list that begins with the newest entries. Nothing at all where there is one page. */
interface OlderNewestProps {
  /** The cursor of this page; null: it is the first. */
  readonly before: number | string | null
  readonly isLast: boolean
  onNewest(): void
  onOlder(): void
}

export function OlderNewest({ before, isLast, onNewest, onOlder }: OlderNewestProps) {
  if (before === null && isLast) return null
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" class="link-button" disabled={before === null} onClick={onNewest}>
        ← Newest
      </button>
      <button type="button" class="link-button" disabled={isLast} onClick={onOlder}>
        Older →
      </button>
    </nav>
  )
}
