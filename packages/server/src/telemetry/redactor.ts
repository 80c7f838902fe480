/**
 * Takes secrets out of text. They are found by their value, wherever they stand (a message, a field, a nested error, a
 * node's answer that repeats our URL), not by the name of the field: names are forgotten, values are not. What stands as
 * `user:password@` in any URL goes too, whether or not somebody registered it.
 */
import { anySpellingOf, escapePattern } from '../core/secret-spellings.ts'

const MARK = '[redacted]'
const CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'\\@]+(?:@[^\s/?#"'\\@]+)*@/gi
/** Anything shorter is found in innocent text too often. */
const MIN_LENGTH = 6

const KEY = /^[0-9a-f]{64}$/i
const KEY_LENGTH = 64
const HEX_RUN = /[0-9a-f]{64,}/gi

export interface Redactor {
  hide(secret: string): void
  redact(text: string): string
}

interface Patterns {
  readonly literal: RegExp | null
  readonly spelled: RegExp | null
  /** Some secret has a space, which a URL may spell as a plus. */
  readonly hasSpaces: boolean
}

export function createRedactor(secrets: Iterable<string>): Redactor {
  const hidden = new Set<string>()
  /** The same in any URL spelling. Looked for only in text that has a percent sign, or a plus that may mean a space: most has none. */
  const spelled = new Set<string>()
  /** Private keys may be thousands: they are looked up instead of searched for one by one. */
  const keys = new Set<string>()
  let patterns: Patterns | undefined

  function hide(secret: string): void {
    if (KEY.test(secret)) {
      keys.add(secret.toLowerCase())
      return
    }
    for (const form of formsOf(secret)) if (form.length >= MIN_LENGTH) hidden.add(form)
    if (secret.length >= MIN_LENGTH) spelled.add(secret)
    patterns = undefined
  }

  for (const secret of secrets) hide(secret)
  return {
    hide,
    redact(text) {
      patterns ??= {
        literal: compile(hidden, escapePattern),
        spelled: compile(spelled, anySpellingOf),
        hasSpaces: [...spelled].some((secret) => secret.includes(' ')),
      }
      const keyless = keys.size === 0 ? text : text.replace(HEX_RUN, (run) => hideKeys(run, keys))
      const plain = patterns.literal === null ? keyless : keyless.replace(patterns.literal, MARK)
      const isSpelled = plain.includes('%') || (patterns.hasSpaces && plain.includes('+'))
      const known = patterns.spelled === null || !isSpelled ? plain : plain.replace(patterns.spelled, MARK)
      return known.includes('://') ? known.replace(CREDENTIALS, `$1${MARK}@`) : known
    },
  }
}

/** A key may stand anywhere in a longer run of digits. */
function hideKeys(run: string, keys: ReadonlySet<string>): string {
  const lower = run.toLowerCase()
  let shown = ''
  let from = 0
  for (let at = 0; at + KEY_LENGTH <= run.length; at++) {
    if (!keys.has(lower.slice(at, at + KEY_LENGTH))) continue
    shown += run.slice(from, at) + MARK
    from = at + KEY_LENGTH
    at = from - 1
  }
  return shown + run.slice(from)
}

/** As it is, as it looks inside a JSON string, and as it looks inside a URL (by way of UTF-8, which has no half characters). */
function formsOf(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(Buffer.from(secret).toString())]
}

function compile(secrets: Iterable<string>, toSource: (secret: string) => string): RegExp | null {
  // Longest first: a secret that contains another must not leave its rest behind.
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length).map(toSource)
  // Hex has two spellings.
  return longestFirst.length === 0 ? null : new RegExp(longestFirst.join('|'), 'gi')
}
