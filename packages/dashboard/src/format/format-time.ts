/** Times for people: how long ago, and exactly when. */
const UNITS = [
  { seconds: 86_400, name: 'd' },
  { seconds: 3_600, name: 'h' },
  { seconds: 60, name: 'min' },
] as const

/** "now", "42 s", "3 min", "5 h", "12 d". A clock that is a little behind the service's gives "now", not a negative age. */
export function formatAge(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 1) return 'now'
  const unit = UNITS.find((candidate) => seconds >= candidate.seconds)
  return unit === undefined ? `${seconds} s` : `${Math.floor(seconds / unit.seconds)} ${unit.name}`
}

/** "850 ms", "1.2 s", "42 s", "3 min 5 s": how long something took. */
export function formatSpan(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toString()} s`
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return joinParts(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  if (seconds < 86_400) return joinParts(Math.floor(seconds / 3_600), 'h', Math.floor((seconds % 3_600) / 60), 'min')
  return joinParts(Math.floor(seconds / 86_400), 'd', Math.floor((seconds % 86_400) / 3_600), 'h')
}

function joinParts(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

/** Local time to the second, with the date where it is not today. */
export function formatClock(iso: string, now: Date): string {
  const at = new Date(iso)
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
  if (at.toDateString() === now.toDateString()) return time
  const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
  return `${date} ${time}`
}
