/** Finds the name that the user probably meant. */
export function findNearestName(written: string, names: readonly string[]): string | null {
  let nearest: string | null = null
  // More than a third of the letters wrong is another word, not a slip.
  let least = Math.floor(written.length / 3) + 1
  for (const name of names) {
    const distance = editDistance(written.toLowerCase(), name.toLowerCase(), least)
    if (distance < least) {
      least = distance
      nearest = name
    }
  }
  return nearest
}

/** Levenshtein's distance; `limit` or more is all the same to the caller. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...b].entries()) {
      const substituted = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(substituted, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? limit
}
