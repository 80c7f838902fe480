/** The few signs that the page uses, drawn here so that nothing has to be fetched. */
import type { ComponentChildren } from 'preact'

function Icon({ children }: { readonly children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {children}
    </svg>
  )
}

export function CopyIcon() {
  return (
    <Icon>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.5v-.5A1.5 1.5 0 0 0 9 1.5H4A1.5 1.5 0 0 0 2.5 3v6A1.5 1.5 0 0 0 4 10.5" />
    </Icon>
  )
}

export function CheckIcon() {
  return (
    <Icon>
      <path d="M3 8.5 6.5 12 13 4.5" />
    </Icon>
  )
}

export function CrossIcon() {
  return (
    <Icon>
      <path d="m4 4 8 8m0-8-8 8" />
    </Icon>
  )
}

export function AlertIcon() {
  return (
    <Icon>
      <path d="M8 2 1.5 13.5h13zM8 6.5v3.5m0 1.7v.1" />
    </Icon>
  )
}

export function LockIcon() {
  return (
    <Icon>
      <path d="M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5" />
    </Icon>
  )
}

export function SearchIcon() {
  return (
    <Icon>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </Icon>
  )
}

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <rect class="mark-ground" width="24" height="24" rx="6" />
      <path class="mark-letter" d="M6 6.5h5.5a5.5 5.5 0 0 1 0 11H6" />
      <path class="mark-arrow" d="M6 12h6.2m-2.4-2.6L12.4 12l-2.6 2.6" />
    </svg>
  )
}
