/** The texts that begin with a prefix, as an index range. */

const FIRST_SURROGATE = 0xd800
const AFTER_SURROGATES = 0xe000
const LAST = 0x10ffff

/** The smallest text after all that begin with the prefix, in code point order. Null if there is none. */
export function endOfPrefix(prefix: string): string | null {
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST) points.pop()
  const last = points.pop()
  if (last === undefined) return null
  const next = last + 1 === FIRST_SURROGATE ? AFTER_SURROGATES : last + 1
  return String.fromCodePoint(...points, next)
}
