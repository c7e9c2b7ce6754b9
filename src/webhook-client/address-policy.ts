import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The policy of webhook addresses. Not request-filtering-agent 3.2.1, which asks the same ipaddr.js: it allows 4 of the 57
 * refused vectors of test/webhooks/endpoint-addresses.test.ts (a zone, 4000::1, ::a00:1, 168.63.129.16), and it is an agent of
 * Node's http, so that undici would still need the guarded connector.
 */

/** Decides whether a webhook may be sent to an IP address. */
export type AddressPolicy = (ip: string) => boolean

/** Creates the policy of webhook addresses: public ones, with `canReachLoopback` this machine's; never link-local. */
export function createAddressPolicy({ canReachLoopback }: { canReachLoopback: boolean }): AddressPolicy {
  return canReachLoopback ? ip => isPublicAddress(ip) || isLoopbackAddress(ip) : isPublicAddress
}

/**
 * Returns whether anyone on the internet could reach the address under the same name. An address that embeds an IPv4
 * address (mapped, compatible, NAT64, 6to4, Teredo) is refused: packets to it pass a translator of ours and do not go
 * to the address shown.
 */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip)
  // ipaddr.js calls every address unicast that is in no special-purpose registry.
  if (address?.range() !== 'unicast') return false
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_UNICAST)) return false
  return !LOCAL_ADDRESSES_IN_PUBLIC_RANGES.has(address.toString())
}

/** Matches 127/8 and ::1, not their embedded or mapped forms. */
function isLoopbackAddress(ip: string): boolean {
  return parseAddress(ip)?.range() === 'loopback'
}

/** All IPv6 that the internet routes; outside lie ::/96 (IPv4-compatible) and unassigned ranges. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Addresses with public numbers that are answered by the host of a cloud machine (Azure's platform services). */
const LOCAL_ADDRESSES_IN_PUBLIC_RANGES = new Set(['168.63.129.16'])

/** Parses strict spellings only: no octal, hex or short forms, no zone. */
function parseAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(ip) !== 0 && !ip.includes('%') && ipaddr.isValid(ip) ? ipaddr.parse(ip) : undefined
}
