/** Text as a JSON object; null where it is anything else. */
export function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    // Not JSON: null says so, and the caller reports it, with the text.
    return null
  }
}
