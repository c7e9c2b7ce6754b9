import { firstAddressOf, parseClientAddress } from '../../security/ip-address.ts'

/** Length of a client's IPv6 network: providers assign at least a /64, whose addresses the client changes at will. */
const IPV6_PREFIX_BITS = 64

/** Returns the network by which an address is counted; all invalid ones are one, so a forged header creates none. */
export function toClientNetwork(address: string): string {
  const parsed = parseClientAddress(address)
  if (!parsed) return 'unknown'
  return parsed.kind() === 'ipv4' ? parsed.toString() : firstAddressOf([parsed, IPV6_PREFIX_BITS]).toString()
}
