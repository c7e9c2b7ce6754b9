import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'

/** Resolves a host name to its addresses, in the order of trying; rejects or returns an empty list without any. */
export type HostResolver = (hostname: string) => Promise<string[]>

export type NameServerOptions = {
  /** Name servers, `address` or `address:port`; default: those of the machine. */
  servers?: string[]
  timeoutMs?: number
}

/**
 * Creates a resolver that queries the name servers directly, not by getaddrinfo: that runs on threads shared by the
 * whole process, so one silent name server would block all other lookups.
 */
export function createHostResolver({
  servers,
  timeoutMs: limitMs = 5_000,
}: NameServerOptions = {}): HostResolver {
  return async hostname => {
    if (LOCALHOST.test(hostname)) return ['127.0.0.1', '::1'] // RFC 6761 §6.3: never sent to a name server.

    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const timer = setTimeout(() => resolver.cancel(), limitMs)
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    clearTimeout(timer)

    const addresses = [v4, v6].flatMap(result => (result.status === 'fulfilled' ? result.value : []))
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason
    return addresses
  }
}

const LOCALHOST = /^(.+\.)?localhost\.?$/i

/** Error codes of a silent name server: getaddrinfo would only wait for it again. */
const TIMEOUT_CODES = new Set<unknown>(['ETIMEOUT', 'ECANCELLED'])

/**
 * Wraps `resolve` with getaddrinfo (the hosts file) for localhost and for names that no name server resolves. A
 * silent name server delays only lookups of its own names. Fails with the code DNS_FAILED.
 */
export function withHostsFile(resolve: HostResolver): HostResolver {
  return async hostname => {
    try {
      if (!LOCALHOST.test(hostname)) return await resolve(hostname)
    } catch (error) {
      if (TIMEOUT_CODES.has(Object(error).code)) throw createDnsError(error)
    }
    const addresses = await lookup(hostname, { all: true }).catch(cause =>
      Promise.reject(createDnsError(cause)),
    )
    return addresses.map(({ address }) => address)
  }
}

function createDnsError(cause: unknown): Error {
  return Object.assign(new Error('The host name could not be resolved', { cause }), { code: 'DNS_FAILED' })
}

/** Converts `resolve` to the lookup function that `net.connect` and `tls.connect` take. */
export function toLookupFunction(resolve: HostResolver): LookupFunction {
  return (hostname, { all }, callback) => {
    const succeed = (addresses: string[]) => {
      const entries = addresses.map(address => ({ address, family: isIP(address) }))
      const [first] = entries
      if (!first) callback(new Error('The host has no address'), [])
      else if (all) callback(null, entries)
      else callback(null, first.address, first.family)
    }
    resolve(hostname).then(succeed, error => callback(error, []))
  }
}
