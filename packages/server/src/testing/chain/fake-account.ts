/** An account of the fake chain, as of one block. */
export interface FakeAccount {
  readonly nonce: number
  readonly balance: bigint
}
