/** How a simulated RPC node currently behaves towards every client. */
export interface EndpointMood {
  /** Shares of requests, from 0 to 1. */
  readonly unreached: number
  /** The request is carried out, but the answer is lost. */
  readonly lost: number
  readonly rateLimited: number
  /** Answers with a page of HTML. */
  readonly html: number
  /** Claims to accept the bytes, but does not keep them. */
  readonly notKept: number
  /** Its answer about the bytes does not match what it does with them. */
  readonly lying: number
  /** Has no receipts yet for transactions in its blocks. */
  readonly noReceipt: number
  /** Multiplies the prices it reports by this. */
  readonly priceFactor: number
  /** Each answer takes up to this long. */
  readonly slowMs: number
}

export const GOOD_MOOD: EndpointMood = {
  unreached: 0,
  lost: 0,
  rateLimited: 0,
  html: 0,
  notKept: 0,
  lying: 0,
  noReceipt: 0,
  priceFactor: 1,
  slowMs: 0,
}

/** Error texts of real nodes that refuse bytes. */
export const REFUSALS = [
  'already known',
  'nonce too low: next nonce 12, tx nonce 9',
  'replacement transaction underpriced',
  'transaction gas price below minimum: gas tip cap 0, minimum needed 1',
  'transaction underpriced',
  'max fee per gas less than block base fee',
  'insufficient funds for gas * price + value',
  'nonce too high',
  'txpool is full',
  'future transaction tries to replace pending',
  '15/second request limit reached',
  'intrinsic gas too low',
  'tip higher than fee cap',
  'Invalid signature',
  'exceeds block gas limit',
  'tx fee (1.05 ether) exceeds the configured cap (1.00 ether)',
  'transaction type not supported',
  'Sender account not authorized to send transactions',
  'oversized data: transaction size 131100, limit 131072',
  'only replay-protected (EIP-155) transactions allowed over RPC',
  'gremlins',
] as const
