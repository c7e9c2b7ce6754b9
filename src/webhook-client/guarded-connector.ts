import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { buildConnector } from 'undici'
import { type HostResolver, toLookupFunction } from '../net/name-resolver.ts'
import { createResumingConnector } from '../net/tls-resumption.ts'
import type { AddressPolicy } from './address-policy.ts'

/** An address of the host is not allowed for webhooks; no packet was sent. */
export class RefusedAddressError extends Error {
  override name = 'RefusedAddressError'
}

/** Name resolution, connection or TLS verification failed: the request was provably not sent. */
export class NoConnectionError extends Error {
  override name = 'NoConnectionError'
}

export type GuardedConnectorOptions = {
  policy: AddressPolicy
  resolve: HostResolver
  /** PEM certificates trusted in addition to the public authorities. */
  ca?: string[]
  /** For TCP and TLS together; the look-up has its own limits. */
  timeoutMs: number
}

/**
 * Creates a connector that opens TLS connections to allowed addresses only. The address that is connected to is the
 * one that was checked, so DNS rebinding gains nothing. Fails with RefusedAddressError or NoConnectionError.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const connect = createResumingConnector({
    lookup: createGuardedLookup(options),
    secureContext: createSecureContext({
      ca: options.ca && [...getCACertificates('default'), ...options.ca],
    }),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000, // The default of 250 ms is too short for distant hosts.
    timeout: options.timeoutMs,
    allowH2: false,
  })
  return (target, callback) => {
    if (target.protocol !== 'https:') return callback(new NoConnectionError('Only https is supported'), null)
    // Node looks up names only: a literal address never passes through `lookup`.
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

/** Returns whether every address is allowed: an attacker mixes a forbidden one in for a later attempt to pick. */
export function hasOnlyAllowedAddresses(addresses: string[], policy: AddressPolicy): boolean {
  return addresses.length > 0 && addresses.every(policy)
}

/** Returns a short, stable description of an error: its code if it has one. */
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

/** Omits the address: the merchant must not learn what a name resolves to inside our network. */
function createRefusedAddressError(): RefusedAddressError {
  return new RefusedAddressError('The host has an address that webhooks may not reach')
}
