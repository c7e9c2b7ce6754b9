import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Says whether a webhook may be sent to an IP address. */
export type AddressPolicy = (ip: string) => boolean

/** The addresses webhooks may reach: public ones, and where `loopback` allows it this machine's own; never link-local. */
export function createAddressPolicy({
  canReachLoopback: loopback,
}: {
  canReachLoopback: boolean
}): AddressPolicy {
  return loopback ? ip => isPublicAddress(ip) || isLoopbackAddress(ip) : isPublicAddress
}

/**
 * True only for an address that anyone on the internet could reach under the same name. Whatever carries an IPv4
 * address inside (mapped, compatible, NAT64, 6to4, Teredo) is refused whole: its way leads through a translator
 * of ours, not through the address shown.
 */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip)
  // ipaddr.js calls unicast what stands in none of the special-purpose registries.
  if (address?.range() !== 'unicast') return false
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_UNICAST)) return false
  return !LOCAL_ADDRESSES_IN_PUBLIC_RANGES.has(address.toString())
}

/** 127/8 and ::1 in their own spelling only. */
function isLoopbackAddress(ip: string): boolean {
  return parseAddress(ip)?.range() === 'loopback'
}

/** Everything the internet routes in IPv6; outside lie ::/96 (IPv4-compatible) and what nobody has assigned yet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Public by their number, yet each answers from the host a cloud machine runs on (Azure's platform services). */
const LOCAL_ADDRESSES_IN_PUBLIC_RANGES = new Set(['168.63.129.16'])

/** Strict spellings only: no octal, hex or short forms, no zone. */
function parseAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(ip) !== 0 && !ip.includes('%') && ipaddr.isValid(ip) ? ipaddr.parse(ip) : undefined
}
