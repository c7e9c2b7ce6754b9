import { isIP } from 'node:net'
import { createHostResolver, type HostResolver } from '../net/name-resolver.ts'
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
  | { kind: 'refused'; reason: EndpointRefusal; message: string }

export type EndpointInspectionOptions = {
  /** PEM certificates trusted beside the public authorities. */
  ca?: string[]
  resolve?: HostResolver
  /** For TCP and TLS together. */
  handshakeTimeoutMs?: number
}

const MAX_URL_LENGTH = 2_048

/** Looks at a webhook's URL before it is stored: its spelling, every address of its host, and one TLS handshake. */
export async function inspectEndpoint(
  url: string,
  policy: AddressPolicy,
  {
    ca,
    resolve = createHostResolver(),
    handshakeTimeoutMs: handshakeMs = 5_000,
  }: EndpointInspectionOptions = {},
): Promise<EndpointInspection> {
  const spelled = parseEndpoint(url)
  if (spelled.kind === 'refused') return spelled

  const addresses = await resolveAddresses(spelled.target, resolve)
  if (addresses.length === 0) return refuseEndpoint('not_resolving', 'The host of the URL does not resolve.')
  if (!hasOnlyAllowedAddresses(addresses, policy)) {
    return refuseEndpoint('private_address', 'Every address of the host of the URL must be public.')
  }

  const connector = createGuardedConnector({
    policy,
    resolve: async () => addresses,
    ca,
    timeoutMs: handshakeMs,
  })
  const failure = await findHandshakeFailure(spelled.target, connector)
  return failure
    ? refuseEndpoint('no_tls', `No TLS connection to the URL could be made: ${failure}.`)
    : { kind: 'valid' }
}

type ParsedEndpoint = { kind: 'spelled'; target: URL } | (EndpointInspection & { kind: 'refused' })

/** What can be said of a URL without leaving the machine. */
function parseEndpoint(url: string): ParsedEndpoint {
  if (url.length > MAX_URL_LENGTH) {
    return refuseEndpoint('bad_url', `The URL must not be longer than ${MAX_URL_LENGTH} characters.`)
  }
  // The URL parser drops blanks and line breaks in silence; what is stored must be what is called.
  if (/[\s\p{Cc}]/u.test(url) || !URL.canParse(url))
    return refuseEndpoint('bad_url', 'The URL is not well formed.')
  const target = new URL(url)
  if (target.protocol !== 'https:') return refuseEndpoint('not_https', 'The URL must start with https://.')
  if (target.username || target.password) {
    return refuseEndpoint('credentials_in_url', 'The URL must not contain a user name or password.')
  }
  if (url.includes('#')) return refuseEndpoint('bad_url', 'The URL must not contain a fragment.')
  return { kind: 'spelled', target }
}

async function resolveAddresses(target: URL, resolve: HostResolver): Promise<string[]> {
  const host = getHost(target)
  // No name, no answer and no name server are one thing to whoever has to mend the URL.
  return isIP(host) ? [host] : resolve(host).catch(() => [])
}

function findHandshakeFailure(
  target: URL,
  connector: ReturnType<typeof createGuardedConnector>,
): Promise<string | undefined> {
  const { host, protocol, port } = target
  return new Promise(done => {
    connector({ hostname: getHost(target), host, protocol, port }, (...[error, socket]) => {
      socket?.destroySoon() // Lets the handshake's last flight out, so that the far side sees it whole.
      done(error ? getErrorCode(error) : undefined)
    })
  })
}

/** The host as Node's network calls take it: an IPv6 literal without its brackets. */
function getHost(target: URL): string {
  return target.hostname.replace(/^\[(.*)\]$/, '$1')
}

function refuseEndpoint(reason: EndpointRefusal, message: string): EndpointInspection & { kind: 'refused' } {
  return { kind: 'refused', reason, message }
}
