/** Where signed transactions go if not to every RPC node: URLs for all signers, and URLs for single signers (`0x…=URL`). */
import { type Address, isAddress } from '../../core/hex.ts'
import { printHost, secretPartsOf } from './service-url.ts'
import { accept, refuse, type SettingType, splitList } from './setting-type.ts'

export interface SendUrls {
  /** For signers without their own. Empty: the nodes that are read. */
  readonly all: readonly string[]
  readonly bySigner: ReadonlyMap<Address, readonly string[]>
}

export const SEND_TO_ALL_NODES: SendUrls = { all: [], bySigner: new Map() }

const FOR_SIGNER = /^(0x[^=:/]*)=(.*)$/is

export const sendUrls: SettingType<SendUrls> = {
  label: 'comma-separated list of http or https URLs, each for all signers or as `address=URL` for one',
  parse(input) {
    const items = splitList(input)
    if (items === null) return refuse('must be URLs, separated by commas')
    const all: string[] = []
    const bySigner = new Map<Address, string[]>()
    for (const [index, item] of items.entries()) {
      const [, left, right] = FOR_SIGNER.exec(item) ?? []
      const url = (right ?? item).trim()
      const place = `number ${index + 1} of ${items.length}`
      if (!isHttp(url)) return refuse(`must contain only http or https URLs; ${place} is not one`)
      if (left === undefined) all.push(url)
      else {
        const address = left.trim().toLowerCase()
        if (!isAddress(address)) return refuse(`must have a signer address before each "="; ${place} has none`)
        bySigner.set(address, [...(bySigner.get(address) ?? []), url])
      }
    }
    return accept({ all, bySigner })
  },
  print: ({ all, bySigner }) =>
    [
      ...all.map(printHost),
      ...[...bySigner].flatMap(([address, urls]) => urls.map((url) => `${address}=${printHost(url)}`)),
    ].join(','),
}

export function listSendUrls({ all, bySigner }: SendUrls): readonly string[] {
  return [...new Set([...all, ...[...bySigner.values()].flat()])]
}

export function secretsOfSendUrls(urls: SendUrls): readonly string[] {
  return listSendUrls(urls).flatMap(secretPartsOf)
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)
}
