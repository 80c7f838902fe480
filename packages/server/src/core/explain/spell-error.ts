/** An error as whole sentences: first what it means, then the node's own words if they say more. */
import type { TxError } from '../transaction/transaction.ts'

const ON_THE_WAY =
  /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)\b|socket hang up/

export function spellError(error: TxError | null, otherwise: string): string {
  const { code, message, reason = '' } = error ?? { code: '', message: otherwise }
  // What went wrong on the way to a node is not something that the node said.
  const who = code === 'chain_unavailable' || ON_THE_WAY.test(reason) ? 'Error' : 'The node said'
  const said = reason === '' || message.includes(reason) ? '' : ` ${who}: ${JSON.stringify(reason)}.`
  return `${message.endsWith('.') ? message : `${message}.`}${said}`
}
