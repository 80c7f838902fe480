/**
 * Where signed transactions go if not to every RPC node: URLs for all signers, and URLs for single signers (`0x…=URL`).
 * `public` in place of a URL ends it: these signers send to every RPC node again.
 */
import { type Address, isAddress } from '../../core/hex.ts'
import { printHost, secretPartsOf } from './service-url.ts'
import { accept, refuse, type SettingType, splitList } from './setting-type.ts'

export interface SendUrls {
  /** For signers without their own. Empty: the nodes that are read. */
  readonly all: readonly string[]
  readonly bySigner: ReadonlyMap<Address, readonly string[]>
  /** These send to the nodes that are read again, also if they sent privately before. */
  readonly publicSigners: ReadonlySet<Address>
  /** The same for all signers that are not named. */
  readonly isPublic: boolean
}

export const SEND_TO_ALL_NODES: SendUrls = { all: [], bySigner: new Map(), publicSigners: new Set(), isPublic: false }

const PUBLIC = 'public'

const FOR_SIGNER = /^(0x[^=:/]*)=(.*)$/is

export const sendUrls: SettingType<SendUrls> = {
  label:
    'comma-separated list of http or https URLs, each for all signers or as `address=URL` for one; or `public` for a URL',
  parse(input) {
    const items = splitList(input)
    if (items === null) return refuse('must be URLs, separated by commas')
    const all: string[] = []
    const bySigner = new Map<Address, string[]>()
    const publicSigners = new Set<Address>()
    for (const [index, item] of items.entries()) {
      const [, left, right] = FOR_SIGNER.exec(item) ?? []
      const url = (right ?? item).trim()
      const place = `number ${index + 1} of ${items.length}`
      if (url !== PUBLIC && !isHttp(url))
        return refuse(`must contain only http or https URLs or \`public\`; ${place} is neither`)
      if (left === undefined) {
        all.push(url)
        continue
      }
      const address = left.trim().toLowerCase()
      if (!isAddress(address)) return refuse(`must have a signer address before each "="; ${place} has none`)
      if (url === PUBLIC) publicSigners.add(address)
      else bySigner.set(address, [...(bySigner.get(address) ?? []), url])
    }
    const isPublic = all.includes(PUBLIC)
    if (isPublic && all.length > 1) return refuse('must have either URLs for all signers or `public`, not both')
    const torn = [...publicSigners].find((address) => bySigner.has(address))
    if (torn !== undefined) return refuse(`must have either URLs or \`public\` for ${torn}, not both`)
    return accept({ all: isPublic ? [] : all, bySigner, publicSigners, isPublic })
  },
  print: ({ all, bySigner, publicSigners, isPublic }) =>
    [
      ...all.map(printHost),
      ...(isPublic ? [PUBLIC] : []),
      ...[...bySigner].flatMap(([address, urls]) => urls.map((url) => `${address}=${printHost(url)}`)),
      ...[...publicSigners].map((address) => `${address}=${PUBLIC}`),
    ].join(','),
}

/** Whether an operator ended private sends of this signer. */
export function isSentPublicly(signer: Address, { bySigner, publicSigners, isPublic }: SendUrls): boolean {
  return publicSigners.has(signer) || (isPublic && !bySigner.has(signer))
}

/** Whether this node has an endpoint that the signer's bytes go to and nowhere else. */
export function hasSendUrl(signer: Address, { all, bySigner, publicSigners }: SendUrls): boolean {
  return bySigner.has(signer) || (all.length > 0 && !publicSigners.has(signer))
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
