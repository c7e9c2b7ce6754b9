import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'

/** Every address of a host name, in the order they are tried; rejects or is empty where it has none. */
export type HostResolver = (hostname: string) => Promise<string[]>

export type NameServerOptions = {
  /** `address` or `address:port`; the machine's own where absent. */
  servers?: string[]
  timeoutMs?: number
}

/**
 * Asks the name servers directly, never getaddrinfo: that runs on threads shared by the whole process, and one host whose
 * name server is silent would hold up every other look-up.
 */
export function createHostResolver({
  servers,
  timeoutMs: limitMs = 5_000,
}: NameServerOptions = {}): HostResolver {
  return async hostname => {
    if (LOCALHOST.test(hostname)) return ['127.0.0.1', '::1'] // RFC 6761 §6.3: never asked.

    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const timer = setTimeout(() => resolver.cancel(), limitMs)
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    clearTimeout(timer)

    const addresses = [v4, v6].flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason
    return addresses
  }
}

const LOCALHOST = /^(.+\.)?localhost\.?$/i

/** A name server that is silent: asking the machine would only wait for it again. */
const TIMEOUT_CODES = new Set<unknown>(['ETIMEOUT', 'ECANCELLED'])

/**
 * Resolves like `resolve`, and asks the machine (its hosts file) about localhost and about a name that no name server gives
 * an address of. A silent name server costs only those who ask for its names. Fails with the code DNS_FAILED.
 */
export function withHostsFile(resolve: HostResolver): HostResolver {
  return async hostname => {
    try {
      if (!LOCALHOST.test(hostname)) return await resolve(hostname)
    } catch (error) {
      if (TIMEOUT_CODES.has(Object(error).code)) throw createDnsError(error)
    }
    const found = await lookup(hostname, { all: true }).catch(cause => Promise.reject(createDnsError(cause)))
    return found.map(({ address }) => address)
  }
}

function createDnsError(cause: unknown): Error {
  return Object.assign(new Error('The host name could not be resolved', { cause }), { code: 'DNS_FAILED' })
}

/** `resolve` in the form that `net.connect` and `tls.connect` take. */
export function toLookupFunction(resolve: HostResolver): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (addresses: string[]) => {
      const found = addresses.map(address => ({ address, family: isIP(address) }))
      const [first] = found
      if (!first) callback(new Error('The host has no address'), [])
      else if (all) callback(null, found)
      else callback(null, first.address, first.family)
    }
    resolve(hostname).then(answer, error => callback(error, []))
  }
}
