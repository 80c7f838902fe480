/** Whose rules a command is about: a signer by its address, or an API key by its id. */
import { UsageError } from '../service/service-session.ts'

export type RuleSubject =
  | { readonly type: 'signer'; readonly address: string }
  | { readonly type: 'key'; readonly id: string }

export function readSubject(text: string): RuleSubject {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return { type: 'signer', address: text }
  if (/^[0-9a-f]{16}$/.test(text)) return { type: 'key', id: text }
  throw new UsageError(`${JSON.stringify(text)} is neither the address of a signer nor the id of an API key`)
}
