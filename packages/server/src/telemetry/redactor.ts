/**
 * Takes secrets out of text. They are found by their value, wherever they stand (a message, a field, a nested error, a
 * node's answer that repeats our URL), not by the name of the field: names are forgotten, values are not. What stands as
 * `user:password@` in any URL goes too, whether or not somebody registered it.
 */
const MARK = '[redacted]'
const CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'\\@]+(?:@[^\s/?#"'\\@]+)*@/gi
/** Anything shorter is found in innocent text too often. */
const MIN_LENGTH = 6

export interface Redactor {
  hide(secret: string): void
  redact(text: string): string
}

export function createRedactor(secrets: Iterable<string>): Redactor {
  const hidden = new Set<string>()
  let pattern: RegExp | null = null

  function hide(secret: string): void {
    for (const form of formsOf(secret)) if (form.length >= MIN_LENGTH) hidden.add(form)
    // Longest first: a secret that contains another must not leave its rest behind.
    const longestFirst = [...hidden].sort((a, b) => b.length - a.length).map(escapePattern)
    // Hex has two spellings.
    pattern = longestFirst.length === 0 ? null : new RegExp(longestFirst.join('|'), 'gi')
  }

  for (const secret of secrets) hide(secret)
  return {
    hide,
    redact(text) {
      const known = pattern === null ? text : text.replace(pattern, MARK)
      return known.includes('://') ? known.replace(CREDENTIALS, `$1${MARK}@`) : known
    },
  }
}

/** As it is, as it looks inside a JSON string, and as it looks inside a URL (by way of UTF-8, which has no half characters). */
function formsOf(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(Buffer.from(secret).toString())]
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
