import { isIP } from 'node:net'
import { nameResolver, type Resolve } from '../name-resolver.ts'
import type { AddressPolicy } from './addresses.ts'
import { allAllowed, checkedConnector, named } from './connector.ts'

/** Why a URL cannot be a webhook's endpoint; SPEC §8. */
type EndpointRefusal =
  | 'bad_url'
  | 'not_https'
  | 'credentials_in_url'
  | 'not_resolving'
  | 'private_address'
  | 'no_tls'

export type Inspection = { kind: 'fine' } | { kind: 'refused'; reason: EndpointRefusal; message: string }

export type InspectionOptions = {
  /** PEM certificates trusted beside the public authorities. */
  ca?: string[]
  resolve?: Resolve
  /** For TCP and TLS together. */
  handshakeMs?: number
}

const MAX_URL_LENGTH = 2_048

/** Looks at a webhook's URL before it is stored: its spelling, every address of its host, and one TLS handshake. */
export async function inspectEndpoint(
  url: string,
  policy: AddressPolicy,
  { ca, resolve = nameResolver(), handshakeMs = 5_000 }: InspectionOptions = {},
): Promise<Inspection> {
  const spelled = readEndpoint(url)
  if (spelled.kind === 'refused') return spelled

  const addresses = await addressesOf(spelled.target, resolve)
  if (addresses.length === 0) return refused('not_resolving', 'The host of the URL does not resolve.')
  if (!allAllowed(addresses, policy)) {
    return refused('private_address', 'Every address of the host of the URL must be public.')
  }

  const connector = checkedConnector({ policy, resolve: async () => addresses, ca, timeoutMs: handshakeMs })
  const failure = await handshakeFailure(spelled.target, connector)
  return failure
    ? refused('no_tls', `No TLS connection to the URL could be made: ${failure}.`)
    : { kind: 'fine' }
}

type Spelled = { kind: 'spelled'; target: URL } | (Inspection & { kind: 'refused' })

/** What can be said of a URL without leaving the machine. */
function readEndpoint(url: string): Spelled {
  if (url.length > MAX_URL_LENGTH) {
    return refused('bad_url', `The URL must not be longer than ${MAX_URL_LENGTH} characters.`)
  }
  // The URL parser drops blanks and line breaks in silence; what is stored must be what is called.
  if (/[\s\p{Cc}]/u.test(url) || !URL.canParse(url)) return refused('bad_url', 'The URL is not well formed.')
  const target = new URL(url)
  if (target.protocol !== 'https:') return refused('not_https', 'The URL must start with https://.')
  if (target.username || target.password) {
    return refused('credentials_in_url', 'The URL must not contain a user name or password.')
  }
  if (url.includes('#')) return refused('bad_url', 'The URL must not contain a fragment.')
  return { kind: 'spelled', target }
}

async function addressesOf(target: URL, resolve: Resolve): Promise<string[]> {
  const host = hostOf(target)
  // No name, no answer and no name server are one thing to whoever has to mend the URL.
  return isIP(host) ? [host] : resolve(host).catch(() => [])
}

function handshakeFailure(
  target: URL,
  connector: ReturnType<typeof checkedConnector>,
): Promise<string | undefined> {
  const { host, protocol, port } = target
  return new Promise(done => {
    connector({ hostname: hostOf(target), host, protocol, port }, (...[error, socket]) => {
      socket?.destroySoon() // Lets the handshake's last flight out, so that the far side sees it whole.
      done(error ? named(error) : undefined)
    })
  })
}

/** The host as Node's network calls take it: an IPv6 literal without its brackets. */
function hostOf(target: URL): string {
  return target.hostname.replace(/^\[(.*)\]$/, '$1')
}

function refused(reason: EndpointRefusal, message: string): Inspection & { kind: 'refused' } {
  return { kind: 'refused', reason, message }
}
