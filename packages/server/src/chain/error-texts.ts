/** The texts of a node's error, outermost first: nodes and proxies wrap each other's errors in many ways. */

const DEEPEST = 4
/** A proxy may send a whole page as "message"; only its beginning can be the text of a node. */
const LONGEST = 2_000
const WRAPPING_FIELDS = ['message', 'reason', 'error', 'data', 'cause', 'originalError', 'body'] as const
const FORWARDED = /failed to forward tx to sequencer, please try again\. error message: '(.*)'/is

export function listErrorTexts(error: { readonly message: string; readonly data?: unknown }): readonly string[] {
  return [...listTexts(error.message, 0), ...listTexts(error.data, 0)]
}

function listTexts(value: unknown, depth: number): readonly string[] {
  if (depth > DEEPEST) return []
  if (typeof value === 'string') return unwrapText(value, depth)
  if (typeof value !== 'object' || value === null) return []
  const fields = value as Readonly<Record<string, unknown>>
  return WRAPPING_FIELDS.flatMap((field) => listTexts(fields[field], depth + 1))
}

function unwrapText(text: string, depth: number): readonly string[] {
  if (text === '' || /^0x[0-9a-f]*$/i.test(text)) return []
  const forwarded = FORWARDED.exec(text)?.[1]
  if (forwarded !== undefined) return unwrapText(forwarded, depth + 1)
  const inner = parseObject(text)
  return inner === null ? [text.slice(0, LONGEST)] : listTexts(inner, depth + 1)
}

function parseObject(text: string): unknown {
  if (!text.startsWith('{')) return null
  try {
    return JSON.parse(text)
  } catch (error) {
    // Only looks like JSON: then it is plain text.
    if (error instanceof SyntaxError) return null
    throw error
  }
}
