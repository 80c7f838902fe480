/** An error as whole sentences: first what it means, then the node's own words if they say more. */
import type { TxError } from '../transaction/transaction.ts'

export function spellError(error: TxError | null, otherwise: string): string {
  const { message, reason = '' } = error ?? { message: otherwise }
  const said = reason === '' || message.includes(reason) ? '' : ` The node said: ${JSON.stringify(reason)}.`
  return `${message.endsWith('.') ? message : `${message}.`}${said}`
}
