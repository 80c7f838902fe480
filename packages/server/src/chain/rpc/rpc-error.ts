/** A node's own error, with its text and HTTP status. */
export interface RpcError {
  readonly code: number | null
  readonly message: string
  readonly data: unknown
  readonly httpStatus: number
}

const METHOD_MISSING =
  /method .*(not found|not supported|not available|does not exist)|unsupported method|method not|unknown method/i

export function isMethodMissing({ code, message }: RpcError): boolean {
  return code === -32601 || METHOD_MISSING.test(message)
}
