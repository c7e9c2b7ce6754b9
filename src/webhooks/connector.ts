import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { buildConnector } from 'undici'
import { lookupBy, type Resolve } from '../name-resolver.ts'
import { resumingConnector } from '../resuming.ts'
import type { AddressPolicy } from './addresses.ts'

/** An address of the host is one that webhooks may not reach; nothing was sent, not even a SYN. */
export class RefusedAddress extends Error {
  override name = 'RefusedAddress'
}

/** No name, no connection or no trusted TLS: the request provably never left. */
export class NoConnection extends Error {
  override name = 'NoConnection'
}

export type ConnectorOptions = {
  policy: AddressPolicy
  resolve: Resolve
  /** PEM certificates trusted beside the public authorities. */
  ca?: string[]
  /** For TCP and TLS together; the look-up has limits of its own. */
  timeoutMs: number
}

/**
 * Opens TLS connections to allowed addresses only. The address is checked as it is used, so a name that changes
 * its mind between two look-ups gains nothing. Fails with RefusedAddress or NoConnection.
 */
export function checkedConnector(options: ConnectorOptions): buildConnector.connector {
  const connect = resumingConnector({
    lookup: checkedLookup(options),
    secureContext: createSecureContext({ ca: trusted(options.ca) }),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000, // The default 250 ms gives up on what is merely far away.
    timeout: options.timeoutMs,
    allowH2: false,
  })
  return (target, callback) => {
    if (target.protocol !== 'https:') return callback(new NoConnection('Only https is spoken'), null)
    // Node looks up names only: a literal address would never meet `lookup`.
    if (isIP(target.hostname) && !options.policy(target.hostname)) return callback(refused(), null)
    connect(target, (...[error, socket]) => {
      if (error) callback(error instanceof RefusedAddress ? error : new NoConnection(named(error)), null)
      else callback(null, socket)
    })
  }
}

/** One bad address refuses the name: whoever mixes them in wants the next try to pick it. */
export function allAllowed(addresses: string[], policy: AddressPolicy): boolean {
  return addresses.length > 0 && addresses.every(policy)
}

/** A short, stable word for why something failed: the code where there is one. */
export function named(error: unknown): string {
  const { code, message } = Object(error)
  return String(code ?? message ?? error)
}

function checkedLookup({ resolve, policy }: ConnectorOptions): LookupFunction {
  return lookupBy(async hostname => {
    const addresses = await resolve(hostname)
    if (addresses.length > 0 && !allAllowed(addresses, policy)) throw refused()
    return addresses
  })
}

/** Without the address: what a name means inside our network is nobody's business. */
function refused(): RefusedAddress {
  return new RefusedAddress('The host has an address that webhooks may not reach')
}

function trusted(ca: string[] | undefined): string[] | undefined {
  return ca && [...getCACertificates('default'), ...ca]
}
