import ipaddr from 'ipaddr.js'

/** An IPv6 customer is given a /64 at least, whose addresses it changes at will. */
const IPV6_PREFIX_BITS = 64

/** Some proxies append the port of the caller. */
const ADDRESS_WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/

/**
 * The network that an address is counted as: an IPv4 address itself, the /64 of an IPv6 address. What is no address is one
 * network together, so that no header makes a network of its own.
 */
export function toClientNetwork(address: string): string {
  const [, bracketed, dotted] = ADDRESS_WITH_PORT.exec(address.trim()) ?? []
  const text = (bracketed ?? dotted ?? address.trim()).replace(/%.*$/, '')
  if (!ipaddr.isValid(text)) return 'unknown'
  const parsed = ipaddr.process(text)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_PREFIX_BITS}`).toString()
}
