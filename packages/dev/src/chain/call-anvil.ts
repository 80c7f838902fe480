/** One JSON-RPC call to a local anvil. */

/** The node answered, with an error. */
class AnvilRpcError extends Error {
  override readonly name = 'AnvilRpcError'
  readonly code: number

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message}`)
    this.code = code
  }
}

export async function callAnvil(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  timeoutMs = 30_000,
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const answer: { result?: unknown; error?: { code: number; message: string } } = JSON.parse(await response.text())
  if (answer.error !== undefined) throw new AnvilRpcError(method, answer.error.code, answer.error.message)
  return answer.result
}
