/** Whether an endpoint that signed transactions are sent to is usable, and whose transactions go there. */
import { checksumAddress } from '../../api/contract/values/address.ts'
import { probeSender } from '../../chain/probe-node.ts'
import type { SendUrls } from '../../config/values/send-urls.ts'
import type { Address } from '../../core/hex.ts'
import { createSystemClock } from '../system-clock.ts'
import type { ChainSubject } from './diagnose-node.ts'
import { type Finding, failed, ok, warn } from './finding.ts'

export async function diagnoseSender(
  url: string,
  { chainId: expected, sendUrls }: ChainSubject,
  addresses: readonly Address[],
): Promise<readonly Finding[]> {
  const probe = await probeSender(url, createSystemClock())
  const name = `send endpoint ${probe.host}`
  const fix = 'start it, or fix DROVER_RPC_SEND_URL (address, path, access key)'
  if (probe.type === 'unreachable') return [failed(name, `does not respond: ${probe.message}`, fix)]
  const { chainId, canSend } = probe
  if (!canSend) return [failed(name, 'lacks eth_sendRawTransaction', 'use an endpoint that takes transactions')]
  if (expected !== null && chainId !== null && expected !== chainId)
    return [failed(name, `is on chain ${chainId}, but ${expected} is configured`, fix)]
  const strangers = listSigners(url, sendUrls).filter((signer) => !addresses.includes(signer))
  const said = ok(name, `gets ${describeSenders(url, sendUrls)}`)
  if (strangers.length === 0 || addresses.length === 0) return [said]
  const names = strangers.map(checksumAddress).join(', ')
  return [said, warn(name, `no key here belongs to ${names}`, 'check the addresses in DROVER_RPC_SEND_URL')]
}

const listSigners = (url: string, { bySigner }: SendUrls): readonly Address[] =>
  [...bySigner].flatMap(([signer, urls]) => (urls.includes(url) ? [signer] : []))

function describeSenders(url: string, urls: SendUrls): string {
  const own = listSigners(url, urls).map(checksumAddress).join(', ')
  const single = own === '' ? '' : `the transactions of ${own}, which are sent nowhere else`
  if (!urls.all.includes(url)) return single
  const all = 'the transactions of all signers without their own endpoint'
  return own === '' ? all : `${all}, and ${single}`
}
