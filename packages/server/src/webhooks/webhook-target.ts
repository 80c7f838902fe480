/**
 * Where a webhook may point. Its URL is looked at when it is given, for a clear answer; and what its name resolves to is
 * looked at once more for every connection, by the look-up of the connection itself, since a name can be made to point
 * elsewhere in between. One address that is not public is enough: whoever owns the name decides which one is used.
 */
import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Resolves a name to all its addresses. */
export type Resolve = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface TargetPolicy {
  /** Private addresses, and plain HTTP. */
  readonly allowPrivate: boolean
  readonly resolve?: Resolve
}

export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
}

const NOT_PUBLIC = 'points to an address that is not public; set webhookAllowPrivate to allow it'

const resolveAll: Resolve = (hostname, callback) => lookup(hostname, { all: true }, callback)

/** What is wrong with the URL as it is written; null: nothing. */
export function findUrlProblem(url: URL, { allowPrivate }: TargetPolicy): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.hash !== '') return 'must not contain a fragment'
  if (allowPrivate) return null
  if (url.protocol !== 'https:') return 'must be an https URL; set webhookAllowPrivate to allow http'
  const host = hostOf(url)
  return isIP(host) !== 0 && !isPublicAddress(host) ? NOT_PUBLIC : null
}

/** The same, and what its name resolves to now. */
export async function findTargetProblem(url: URL, policy: TargetPolicy): Promise<string | null> {
  const problem = findUrlProblem(url, policy)
  if (problem !== null || policy.allowPrivate || isIP(hostOf(url)) !== 0) return problem
  return new Promise((resolve) => {
    const resolveName = policy.resolve ?? resolveAll
    resolveName(hostOf(url), (error, addresses) => {
      if (error !== null || addresses.length === 0) resolve(`has a host that cannot be resolved: ${hostOf(url)}`)
      else resolve(arePublic(addresses) ? null : NOT_PUBLIC)
    })
  })
}

/** For a connection: refuses what does not resolve to public addresses alone. */
export function createGuardedLookup({ allowPrivate, resolve = resolveAll }: TargetPolicy): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      const first = addresses?.[0]
      if (error !== null) return callback(error, '', 0)
      if (first === undefined) return callback(new TargetRefused(`${hostname} has no address`), '', 0)
      if (!allowPrivate && !arePublic(addresses)) return callback(new TargetRefused(`the URL ${NOT_PUBLIC}`), '', 0)
      if (options.all === true) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })
  }
}

function arePublic(addresses: readonly LookupAddress[]): boolean {
  return addresses.every(({ address }) => isPublicAddress(address))
}

/** Without the brackets that a URL puts around IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
