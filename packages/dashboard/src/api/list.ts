/** The answer to a call that lists something. */
export interface List<T> {
  readonly items: readonly T[]
}
