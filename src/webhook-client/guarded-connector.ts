import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { buildConnector } from 'undici'
import { type HostResolver, toLookupFunction } from '../net/name-resolver.ts'
import { createResumingConnector } from '../net/tls-resumption.ts'
import type { AddressPolicy } from './address-policy.ts'

/** An address of the host is one that webhooks may not reach; nothing was sent, not even a SYN. */
export class RefusedAddressError extends Error {
  override name = 'RefusedAddressError'
}

/** No name, no connection or no trusted TLS: the request provably never left. */
export class NoConnectionError extends Error {
  override name = 'NoConnectionError'
}

export type GuardedConnectorOptions = {
  policy: AddressPolicy
  resolve: HostResolver
  /** PEM certificates trusted beside the public authorities. */
  ca?: string[]
  /** For TCP and TLS together; the look-up has limits of its own. */
  timeoutMs: number
}

/**
 * Opens TLS connections to allowed addresses only. The address is checked as it is used, so a name that changes
 * its mind between two look-ups gains nothing. Fails with RefusedAddress or NoConnection.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const connect = createResumingConnector({
    lookup: createGuardedLookup(options),
    secureContext: createSecureContext({ ca: mergeTrustedCertificates(options.ca) }),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000, // The default 250 ms gives up on what is merely far away.
    timeout: options.timeoutMs,
    allowH2: false,
  })
  return (target, callback) => {
    if (target.protocol !== 'https:') return callback(new NoConnectionError('Only https is spoken'), null)
    // Node looks up names only: a literal address would never meet `lookup`.
    if (isIP(target.hostname) && !options.policy(target.hostname))
      return callback(createRefusedAddressError(), null)
    connect(target, (...[error, socket]) => {
      if (error)
        callback(
          error instanceof RefusedAddressError ? error : new NoConnectionError(getErrorCode(error)),
          null,
        )
      else callback(null, socket)
    })
  }
}

/** One bad address refuses the name: whoever mixes them in wants the next try to pick it. */
export function hasOnlyAllowedAddresses(addresses: string[], policy: AddressPolicy): boolean {
  return addresses.length > 0 && addresses.every(policy)
}

/** A short, stable word for why something failed: the code where there is one. */
export function getErrorCode(error: unknown): string {
  const { code, message } = Object(error)
  return String(code ?? message ?? error)
}

function createGuardedLookup({ resolve, policy }: GuardedConnectorOptions): LookupFunction {
  return toLookupFunction(async hostname => {
    const addresses = await resolve(hostname)
    if (addresses.length > 0 && !hasOnlyAllowedAddresses(addresses, policy)) throw createRefusedAddressError()
    return addresses
  })
}

/** Without the address: what a name means inside our network is nobody's business. */
function createRefusedAddressError(): RefusedAddressError {
  return new RefusedAddressError('The host has an address that webhooks may not reach')
}

function mergeTrustedCertificates(ca: string[] | undefined): string[] | undefined {
  return ca && [...getCACertificates('default'), ...ca]
}
