/** What a button has opened: it takes the focus, Escape closes it, and closing gives the focus back. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

const FIELDS = 'input, select, textarea, button, a[href]'

interface OpenedProps {
  onClose(): void
  readonly children: ComponentChildren
}

export function Opened({ onClose, children }: OpenedProps) {
  const box = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLElement | null>(null)
  const close = useRef(onClose)
  close.current = onClose

  useLayoutEffect(() => {
    opener.current = document.activeElement instanceof HTMLElement ? document.activeElement : null
    const inside = box.current
    inside?.querySelector<HTMLElement>(FIELDS)?.focus()
    return () => {
      // Whoever has moved on meanwhile stays there.
      const { activeElement } = document
      if (activeElement === document.body || inside?.contains(activeElement)) opener.current?.focus()
    }
  }, [])

  // At once, not after the first paint: a quick Escape would be lost.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      const { activeElement } = document
      if (activeElement !== opener.current && !box.current?.contains(activeElement)) return
      event.preventDefault()
      close.current()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])

  return (
    <div ref={box} class="opened">
      {children}
    </div>
  )
}
