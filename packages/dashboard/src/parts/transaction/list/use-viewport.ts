/** Which rows of a scrolled list are in view. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

const MORE = 8

/** Rows are lower on wide screens, where everything is on one line. */
const NARROW = '(max-width: 719px)'
const HEIGHTS = { wide: 40, narrow: 62 } as const

export function useViewport(key: string) {
  const scroller = useRef<HTMLDivElement>(null)
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  const rowHeight = isNarrow ? HEIGHTS.narrow : HEIGHTS.wide
  const [rows, setRows] = useState(() => findRows(0, 800, rowHeight))

  useLayoutEffect(() => {
    const media = matchMedia(NARROW)
    const follow = () => setNarrow(media.matches)
    media.addEventListener('change', follow)
    return () => media.removeEventListener('change', follow)
  }, [])

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    element.scrollTop = 0
    let frame = 0
    const read = () => {
      frame = 0
      const next = findRows(element.scrollTop, element.clientHeight, rowHeight)
      // Drawn again only if other rows are in view, not with every pixel.
      setRows((known) => (isSame(known, next) ? known : next))
    }
    const ask = () => {
      frame ||= requestAnimationFrame(read)
    }
    read()
    element.addEventListener('scroll', ask, { passive: true })
    const resizes = new ResizeObserver(ask)
    resizes.observe(element)
    return () => {
      element.removeEventListener('scroll', ask)
      resizes.disconnect()
      cancelAnimationFrame(frame)
    }
  }, [key, rowHeight])

  return { scroller, ...rows, rowHeight, isNarrow }
}

interface RowsInView {
  readonly first: number
  readonly last: number
  readonly isAtTop: boolean
}

function findRows(top: number, height: number, rowHeight: number): RowsInView {
  return {
    first: Math.max(0, Math.floor(top / rowHeight) - MORE),
    last: Math.ceil((top + height) / rowHeight) + MORE,
    isAtTop: top < rowHeight,
  }
}

function isSame(one: RowsInView, other: RowsInView): boolean {
  return one.first === other.first && one.last === other.last && one.isAtTop === other.isAtTop
}
