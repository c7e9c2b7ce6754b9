import { isIP } from 'node:net'
import { createHostResolver, type HostResolver } from '../net/name-resolver.ts'
import { toConnectTarget } from '../net/tls-resumption.ts'
import type { AddressPolicy } from './address-policy.ts'
import { createGuardedConnector, getErrorCode, hasOnlyAllowedAddresses } from './guarded-connector.ts'

/** Why a URL cannot be a webhook's endpoint; SPEC §8. */
type EndpointRefusal =
  | 'bad_url'
  | 'not_https'
  | 'credentials_in_url'
  | 'not_resolving'
  | 'private_address'
  | 'no_tls'

export type EndpointInspection =
  | { kind: 'valid' }
  | { kind: 'refused'; reason: EndpointRefusal; message: EndpointMessage }
  /** The limit of the inspection passed before that of the handshake. */
  | { kind: 'unfinished' }

/** A text; of one with `{gaps}` also what fills them. */
type EndpointMessage = string | { text: string; gaps: { failure: unknown } }

export type EndpointInspectionOptions = {
  /** PEM certificates trusted in addition to the public authorities. */
  ca?: string[]
  resolve?: HostResolver
  /** For TCP and TLS together. */
  handshakeTimeoutMs?: number
}

/** Shorter than a request has for the inspection, so that a silent endpoint is refused (422) before the deadline. */
const HANDSHAKE_TIMEOUT_MS = 3_000

/** Part of the limit in which the name is resolved: a silent name server leaves time for the handshake. */
const RESOLUTION_FRACTION = 2 / 3

const MAX_URL_LENGTH = 2_048

/**
 * Inspects a webhook's URL before it is stored: its syntax, every address of its host, and one TLS handshake; in at most
 * `limitMs`.
 */
export async function inspectEndpoint(
  url: string,
  policy: AddressPolicy,
  {
    ca,
    limitMs = 10_000,
    resolve = createHostResolver({ timeoutMs: limitMs * RESOLUTION_FRACTION }),
    handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS,
  }: EndpointInspectionOptions & { limitMs?: number } = {},
): Promise<EndpointInspection> {
  const endpoint = parseEndpoint(url)
  if (endpoint.kind === 'refused') return endpoint

  const endsAtMs = performance.now() + limitMs
  const addresses = await resolveAddresses(endpoint.target, resolve)
  if (addresses.length === 0) return refuseEndpoint('not_resolving', 'must have a host that the DNS knows')
  if (!hasOnlyAllowedAddresses(addresses, policy)) {
    return refuseEndpoint('private_address', 'must have a host with public addresses only')
  }

  const remainingMs = endsAtMs - performance.now()
  if (remainingMs <= 0) return { kind: 'unfinished' }
  const connector = createGuardedConnector({
    policy,
    resolve: async () => addresses,
    ca,
    timeoutMs: Math.min(handshakeTimeoutMs, remainingMs),
  })
  const failure = await findHandshakeFailure(endpoint.target, connector)
  if (failure === 'UND_ERR_CONNECT_TIMEOUT' && remainingMs < handshakeTimeoutMs) return { kind: 'unfinished' }
  return failure
    ? refuseEndpoint('no_tls', {
        text: 'must accept a TLS connection: {failure}',
        gaps: { failure },
      })
    : { kind: 'valid' }
}

type ParsedEndpoint = { kind: 'spelled'; target: URL } | (EndpointInspection & { kind: 'refused' })

/** Checks the syntax of a URL, without network access. */
function parseEndpoint(url: string): ParsedEndpoint {
  if (url.length > MAX_URL_LENGTH) {
    return refuseEndpoint('bad_url', 'must have at most 2048 characters')
  }
  // The URL parser silently drops blanks and line breaks; the stored URL must be the called one.
  if (/[\s\p{Cc}]/u.test(url) || !URL.canParse(url))
    return refuseEndpoint('bad_url', 'must be a well-formed URL')
  const target = new URL(url)
  if (target.protocol !== 'https:') return refuseEndpoint('not_https', 'must start with https://')
  if (target.username || target.password) {
    return refuseEndpoint('credentials_in_url', 'must not contain a user name or password')
  }
  if (url.includes('#')) return refuseEndpoint('bad_url', 'must not contain a fragment')
  return { kind: 'spelled', target }
}

async function resolveAddresses(target: URL, resolve: HostResolver): Promise<string[]> {
  const host = toConnectTarget(target).hostname
  // No such name, an empty answer and no name server are the same to the merchant who has to fix the URL.
  return isIP(host) ? [host] : resolve(host).catch(() => [])
}

function findHandshakeFailure(target: URL, connector: ReturnType<typeof createGuardedConnector>) {
  return new Promise(resolve => {
    connector(toConnectTarget(target), (...[error, socket]) => {
      socket?.destroySoon() // Flushes the handshake's last flight, so that the endpoint sees it complete.
      resolve(error ? getErrorCode(error) : undefined)
    })
  })
}

function refuseEndpoint(
  reason: EndpointRefusal,
  message: EndpointMessage,
): EndpointInspection & { kind: 'refused' } {
  return { kind: 'refused', reason, message }
}
