/** Which rows of a scrolled list are in view. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

const MORE = 8

/** Rows are lower on wide screens, where everything is on one line. */
const NARROW = '(max-width: 719px)'
const HEIGHTS = { wide: 40, narrow: 62 } as const

export function useViewport(key: string) {
  const scroller = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState({ top: 0, height: 800 })
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  const rowHeight = isNarrow ? HEIGHTS.narrow : HEIGHTS.wide

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
      setPlace({ top: element.scrollTop, height: element.clientHeight })
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
  }, [key])

  const first = Math.max(0, Math.floor(place.top / rowHeight) - MORE)
  const last = Math.ceil((place.top + place.height) / rowHeight) + MORE
  return { scroller, first, last, rowHeight, isNarrow, isAtTop: place.top < rowHeight }
}
