import {
  firstAddressOf,
  formatIpNetwork,
  type IpNetwork,
  isInNetworks,
  parseClientAddress,
  parseIpNetwork,
} from './ip-address.ts'

/** The addresses from which an API token may be used. An empty list allows every address. */

/** Most addresses and networks of one token. */
const MAX_ALLOWED_ADDRESSES = 50

/** What an entry of the list must be. */
const ALLOWED_ADDRESS_MESSAGE = 'must be IP addresses, or networks such as 203.0.113.0/24: {entry} is neither'
const ADDRESS_BITS_MESSAGE = 'must name a network by its first address: {entry} is in {network}'
const TOO_MANY_ADDRESSES_MESSAGE = 'must have at most {limit} addresses'

type ListFault = { text: string; gaps: Record<string, string | number> }
type ParsedList = { addresses: string[]; fault: null } | { addresses: null; fault: ListFault }

/**
 * Parses the list that a person writes, separated by commas, spaces or lines, and writes each entry in its shortest form. A
 * network that is not named by its first address is refused: it may be a mistyped address.
 */
export function parseAllowedAddresses(text: string): ParsedList {
  const addresses = new Set<string>()
  for (const entry of text.split(/[\s,;]+/).filter(part => part !== '')) {
    const network = parseIpNetwork(entry)
    if (!network) return refuse(ALLOWED_ADDRESS_MESSAGE, { entry: entry.slice(0, 60) })
    const firstNetwork: IpNetwork = [firstAddressOf(network), network[1]]
    if (firstNetwork[0].toString() !== network[0].toString())
      return refuse(ADDRESS_BITS_MESSAGE, { entry, network: formatIpNetwork(firstNetwork) })
    addresses.add(formatIpNetwork(network))
  }
  if (addresses.size > MAX_ALLOWED_ADDRESSES)
    return refuse(TOO_MANY_ADDRESSES_MESSAGE, { limit: MAX_ALLOWED_ADDRESSES })
  return { addresses: [...addresses], fault: null }
}

function refuse(text: string, gaps: ListFault['gaps']): ParsedList {
  return { addresses: null, fault: { text, gaps } }
}

/** Decides whether a client's address, as the server sees it, is allowed. */
export type AddressFilter = (clientAddress: string) => boolean

/** Creates the filter of a stored list; an address that cannot be parsed is in no list. */
export function createAddressFilter(addresses: readonly string[]): AddressFilter {
  if (addresses.length === 0) return () => true
  const networks = addresses.map(parseIpNetwork).filter(network => network !== undefined)
  return clientAddress => {
    const address = parseClientAddress(clientAddress)
    return address !== undefined && isInNetworks(address, networks)
  }
}
