/** A node's own error, with its text and HTTP status. */
export interface RpcError {
  readonly code: number | null
  readonly message: string
  readonly data: unknown
  readonly httpStatus: number
}
