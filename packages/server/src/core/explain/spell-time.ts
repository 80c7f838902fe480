/** Times, durations and counts, in the words of an explanation. */
export function spellTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Rounded down to the unit that matters: seconds are irrelevant after an hour. */
export function spellDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`
}

export function spellCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
