import ipaddr from 'ipaddr.js'

/** Length of a client's IPv6 network: providers assign at least a /64, whose addresses the client changes at will. */
const IPV6_PREFIX_BITS = 64

/** Matches an address with the client's port, which some proxies append. */
const ADDRESS_WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/

/** Returns the network by which an address is counted; all invalid ones are one, so a forged header creates none. */
export function toClientNetwork(address: string): string {
  const [, bracketed, dotted] = ADDRESS_WITH_PORT.exec(address.trim()) ?? []
  const text = (bracketed ?? dotted ?? address.trim()).replace(/%.*$/, '')
  if (!ipaddr.isValid(text)) return 'unknown'
  const parsed = ipaddr.process(text)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_PREFIX_BITS}`).toString()
}
