/**
 * The end of what is finished, in steps that are each short. Of transactions, first what stays of them is written down
 * (`retire`), later they are deleted, and much later their request ids are forgotten. Only one node does any of it at a
 * time; to the others it answers null.
 */
export interface RetentionStore {
  /**
   * Looks at the next transactions by acceptance, and retires those that were final before this time, that no timer
   * holds and no webhook still has to deliver.
   */
  retireTransactions(look: RetireLook): Promise<Retired | null>
  /** Deletes transactions that were retired at least this long ago, with their attempts and history. */
  deleteRetired(retiredForMs: number, limit: number): Promise<number | null>
  /** Forgets the request ids of transactions that were deleted at least this long ago. */
  forgetRequests(deletedForMs: number, limit: number): Promise<number | null>
  /** Deletes reservations that ended at least this long ago. Those of one request go together, so a few more than `limit` may go. */
  deleteReservations(finalForMs: number, limit: number): Promise<number | null>
  /**
   * Deletes events that belong to no transaction, are this old, and that no webhook still has to deliver.
   * `onlyArchived` leaves those that were not archived yet.
   */
  deleteLaneEvents(olderThanMs: number, limit: number, onlyArchived?: boolean): Promise<number | null>
}

export interface RetireLook {
  /** In milliseconds, by the clock of the database. */
  readonly finalForMs: number
  /** From the last look; 0 to begin. */
  readonly after: number
  readonly limit: number
  /** Leaves those that were not archived yet. */
  readonly onlyArchived?: boolean
}

export interface Retired {
  readonly count: number
  /** Where to look next; null: everything old enough was looked at. */
  readonly next: number | null
}
