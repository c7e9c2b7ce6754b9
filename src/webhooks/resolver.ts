import { Resolver } from 'node:dns/promises'

/** Every address of a host name, in the order they are tried; rejects or is empty where it has none. */
export type Resolve = (hostname: string) => Promise<string[]>

export type NameServers = {
  /** `address` or `address:port`; the machine's own where absent. */
  servers?: string[]
  limitMs?: number
}

/**
 * Asks the name servers directly, never getaddrinfo: that runs on two threads shared by the whole process, and
 * one webhook whose name server is slow would hold up every other look-up, the providers' included.
 */
export function nameResolver({ servers, limitMs = 5_000 }: NameServers = {}): Resolve {
  return async hostname => {
    if (/^(.+\.)?localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'] // RFC 6761 §6.3: never asked.

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
