/**
 * Arguments of a contract call from the command line. There everything is text, so the signature decides what each is:
 * `true` is a boolean for `bool` and a word for `string`, lists and tuples are JSON. Whether they fit is for the service.
 */
export type CallArguments = { readonly args: readonly unknown[] } | { readonly problem: string }

export function readCallArguments(signature: string, texts: readonly string[]): CallArguments {
  const types = listParameterTypes(signature)
  if (types === null) return { problem: '--function must be a signature like "transfer(address,uint256)"' }
  if (types.length !== texts.length) {
    return { problem: `--function takes ${types.length} arguments, but --arg was given ${texts.length} times` }
  }
  const args: unknown[] = []
  for (const [index, text] of texts.entries()) {
    const read = readArgument(types[index] ?? '', text)
    if ('problem' in read) return { problem: `--arg number ${index + 1} ${read.problem}` }
    args.push(read.value)
  }
  return { args }
}

function readArgument(type: string, text: string): { readonly value: unknown } | { readonly problem: string } {
  if (type === 'bool') {
    if (text === 'true' || text === 'false') return { value: text === 'true' }
    return { problem: 'must be true or false' }
  }
  if (!type.endsWith(']') && !type.startsWith('(') && !type.startsWith('tuple')) return { value: text }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { problem: `must be JSON, such as ["1","2"], for ${type}` }
  }
}

/** Types without the names and keywords that may stand behind them; null where the brackets do not close. */
function listParameterTypes(signature: string): readonly string[] | null {
  const from = signature.indexOf('(')
  if (from < 1) return null
  const parts: string[] = []
  let depth = 1
  let part = ''
  for (const character of signature.slice(from + 1)) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (depth === 0) break
    if (character === ',' && depth === 1) {
      parts.push(part)
      part = ''
    } else part += character
  }
  if (depth !== 0) return null
  if (part.trim() !== '' || parts.length > 0) parts.push(part)
  return parts.map(typeOf)
}

function typeOf(parameter: string): string {
  const text = parameter.trim()
  // Of a tuple the whole, up to its last bracket: names may stand inside it as well as behind it.
  if (text.startsWith('(') || text.startsWith('tuple(')) return /^.*[)\]]/.exec(text)?.[0] ?? text
  return text.split(/\s+/)[0] ?? ''
}
