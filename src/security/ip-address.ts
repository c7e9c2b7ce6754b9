import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An IPv4 or IPv6 address. An IPv4-mapped one (`::ffff:192.0.2.1`) is parsed to its IPv4 address. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6
/** A network: an address and the length of its prefix. */
export type IpNetwork = [IpAddress, number]

/** Parses strict spellings only: no octal, hex or short forms of IPv4, no zone. */
function parseIpAddress(text: string): IpAddress | undefined {
  return isIP(text) !== 0 && !text.includes('%') ? ipaddr.process(text) : undefined
}

/** Matches an address with the client's port, which some proxies append. */
const ADDRESS_WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/

/** Parses the address of a client as the connection or `X-Forwarded-For` names it: perhaps with a port or a zone. */
export function parseClientAddress(address: string): IpAddress | undefined {
  const [, bracketed, dotted] = ADDRESS_WITH_PORT.exec(address.trim()) ?? []
  return parseIpAddress((bracketed ?? dotted ?? address.trim()).replace(/%.*$/, ''))
}

/** Bits that precede the IPv4 address in an IPv4-mapped IPv6 address. */
const MAPPED_PREFIX_BITS = 96

/** Parses an address, or a network in CIDR notation; undefined for anything else. An address is a network of itself. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [, host = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = parseIpAddress(host)
  if (!address) return undefined
  const maxBits = address.kind() === 'ipv4' ? 32 : 128
  if (bits === undefined) return [address, maxBits]
  const isMapped = address.kind() === 'ipv4' && isIP(host) === 6
  const length = Number(bits) - (isMapped ? MAPPED_PREFIX_BITS : 0)
  return length >= 0 && length <= maxBits ? [address, length] : undefined
}

/** Returns the network of an address: the address with the bits after the prefix cleared. */
export function firstAddressOf([address, bits]: IpNetwork): IpAddress {
  const bytes = address.toByteArray().map((byte, index) => {
    const keptBits = Math.min(8, Math.max(0, bits - index * 8))
    return byte & (0xff << (8 - keptBits)) & 0xff
  })
  return ipaddr.fromByteArray(bytes)
}

/** Length of a client's IPv6 network: providers assign at least a /64, whose addresses the client changes at will. */
const IPV6_PREFIX_BITS = 64

/** Returns the network by which an address is counted; all invalid ones are one, so a forged header creates none. */
export function toClientNetwork(address: string): string {
  const parsed = parseClientAddress(address)
  if (!parsed) return 'unknown'
  return parsed.kind() === 'ipv4' ? parsed.toString() : firstAddressOf([parsed, IPV6_PREFIX_BITS]).toString()
}

/** Writes a network in its shortest form: an address alone where it is one, else in CIDR notation. */
export function formatIpNetwork([address, bits]: IpNetwork): string {
  const isOneAddress = bits === (address.kind() === 'ipv4' ? 32 : 128)
  return isOneAddress ? address.toString() : `${address.toString()}/${bits}`
}

/** Tests whether an address is in one of the networks. */
export function isInNetworks(address: IpAddress, networks: readonly IpNetwork[]): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}
