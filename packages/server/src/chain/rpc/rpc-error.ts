/** A node's own error, as it said it and over which HTTP status. */
export interface RpcError {
  readonly code: number | null
  readonly message: string
  readonly data: unknown
  readonly httpStatus: number
}
