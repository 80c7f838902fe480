/** When transactions are looked up by hash, and how many at once. */
export interface AuditSettings {
  /** Look up by hash after not being seen for this long. */
  readonly staleReceiptTimeoutMs: number
  readonly receiptBatch: number
  /** Batches that may be requested at once. */
  readonly receiptWorkers: number
  /** Looks, at different heights, before a nonce counts as lost. */
  readonly lostAfterLooks: number
}
