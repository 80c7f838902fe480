/**
 * How a secret may be written by somebody who repeats it. A URL allows many spellings of the same text: each character as it
 * is, or percent-encoded. Whoever repeats a URL may choose another one than its author.
 */

interface Credentials {
  readonly username: string
  readonly password: string
}

interface Query {
  readonly search: string
  readonly searchParams: { values(): Iterable<string> }
}

/** The source of a pattern that matches the secret in any spelling, also inside a JSON string. */
export function anySpellingOf(secret: string): string {
  return [...secret].map(matchCharacter).join('')
}

function matchCharacter(character: string): string {
  const spellings = new Set([
    escapePattern(character),
    escapePattern(JSON.stringify(character).slice(1, -1)),
    percentEncode(character).replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`),
  ])
  if (character === ' ') spellings.add('\\+')
  return `(?:${[...spellings].join('|')})`
}

function percentEncode(character: string): string {
  return utf8Of(character)
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join('')
}

/** The text that a part of a URL stands for. A percent sign that encodes nothing means itself. */
export function decodePart(part: string): string {
  return part.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run)
    } catch (error) {
      if (error instanceof URIError) return run
      throw error
    }
  })
}

/** As they travel in the header `Authorization: Basic`, from any of their spellings, with and without padding. */
export function basicFormsOf({ username, password }: Credentials): readonly string[] {
  if (username === '' && password === '') return []
  const pairs = spellingsOf(username).flatMap((user) => spellingsOf(password).map((word) => `${user}:${word}`))
  const forms = pairs.flatMap((pair) => {
    const unpadded = toBase64(utf8Of(pair))
    const padded = unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, '=')
    return [padded, unpadded, unpadded.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [...new Set(forms)]
}

/** As it stands in the URL, decoded, and encoded again. */
function spellingsOf(part: string): readonly string[] {
  const decoded = decodePart(part)
  return [part, decoded, encodeURIComponent(decoded)]
}

/** The values of a query as they stand in the URL, and decoded. */
export function queryValuesOf({ search, searchParams }: Query): readonly string[] {
  const written = search.slice(1).split('&')
  return [...written.map((pair) => pair.slice(pair.indexOf('=') + 1)), ...searchParams.values()]
}

/** Without TextEncoder, which the core does not have. */
function utf8Of(text: string): readonly number[] {
  return [...text].flatMap((character) => {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x80) return [code]
    const isHalf = code >= 0xd800 && code <= 0xdfff
    const encoded = encodeURIComponent(isHalf ? '\ufffd' : character)
    return encoded
      .slice(1)
      .split('%')
      .map((hex) => Number.parseInt(hex, 16))
  })
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Without padding. */
function toBase64(bytes: readonly number[]): string {
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,6}/g) ?? []
  return groups.map((group) => BASE64[Number.parseInt(group.padEnd(6, '0'), 2)]).join('')
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
