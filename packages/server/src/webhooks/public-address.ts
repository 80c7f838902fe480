/**
 * Whether an IP address is one of the public internet. What is sent to an address that somebody else chose must not reach
 * this machine, its network or the metadata service of its cloud. IPv4 is held against the list of ranges with another
 * purpose; of IPv6 only global unicast is public, without the parts of it that stand for something else, above all for
 * IPv4 addresses (mapped, NAT64, 6to4, Teredo), which would be a way around the first list.
 */
import { BlockList, isIP } from 'node:net'

const RESERVED_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  // Azure's platform: DNS, DHCP and the agent that hands out certificates and secrets.
  ['168.63.129.16', 32],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

const RESERVED_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const

const reservedV4 = new BlockList()
const globalV6 = new BlockList()
const reservedV6 = new BlockList()
for (const [network, prefix] of RESERVED_IPV4) reservedV4.addSubnet(network, prefix, 'ipv4')
globalV6.addSubnet('2000::', 3, 'ipv6')
for (const [network, prefix] of RESERVED_IPV6) reservedV6.addSubnet(network, prefix, 'ipv6')

/** False for what is no address at all. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !reservedV4.check(address, 'ipv4')
    case 6:
      return globalV6.check(address, 'ipv6') && !reservedV6.check(address, 'ipv6')
    default:
      return false
  }
}
