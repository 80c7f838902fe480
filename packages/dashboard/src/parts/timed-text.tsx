/** A sentence of the service in which points in time are shown as every other time on the page, with the exact one on hover. */
import { Clock } from './figures.tsx'

const INSTANT = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)/

export function TimedText({ text }: { readonly text: string }) {
  // With a group in the pattern, `split` keeps what it splits at, as every second part.
  return <>{text.split(INSTANT).map((part, index) => (index % 2 === 1 ? <Clock at={part} /> : part))}</>
}
