import { KeyObject, type webcrypto, X509Certificate } from 'node:crypto'
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose'
import type { CodeSignature } from '../domain/qr-codes/code-reading.ts'
import type { LocationClient } from './location-client.ts'

/**
 * Verifies the document at a location: a compact JWS (pix-api, `GET /{pixUrlAccessToken}`; Manual de Segurança do Pix). Its key is
 * that of the key set at `jku`, which must be on the host of the location.
 */

export type DocumentFault = 'document' | 'algorithm' | 'key_address' | 'key_set' | 'signature' | 'certificate'
type VerifiedDocument =
  | { kind: 'verified'; content: unknown; signature: CodeSignature }
  | { kind: 'invalid'; fault: DocumentFault }
  | { kind: 'no_answer' }

const ALGORITHMS = ['RS256', 'PS256', 'ES256']

type VerificationOptions = {
  location: URL
  client: LocationClient
  signal: AbortSignal
  now: Date
  /** Certificates that a signing certificate's chain may end in; where empty, no chain is checked. */
  trustedRoots: X509Certificate[]
}

/** Verifies a document by its signature, and the chain of its certificate where there is a trust store. */
export async function verifyDocument(jws: string, options: VerificationOptions): Promise<VerifiedDocument> {
  const { location, client, signal, now, trustedRoots } = options
  const header = parseHeader(jws)
  if (!header) return { kind: 'invalid', fault: 'document' }
  if (typeof header.alg !== 'string' || !ALGORITHMS.includes(header.alg))
    return { kind: 'invalid', fault: 'algorithm' }
  const keyAddress = parseKeyAddress(header.jku, location)
  if (!keyAddress) return { kind: 'invalid', fault: 'key_address' }

  const answer = await client(keyAddress, signal)
  if (answer.kind === 'no_answer' || (answer.kind === 'answered' && answer.status >= 500))
    return { kind: 'no_answer' }
  if (answer.kind !== 'answered' || answer.status !== 200) return { kind: 'invalid', fault: 'key_set' }
  const keys = parseKeySet(answer.body)
  if (!keys) return { kind: 'invalid', fault: 'key_set' }
  try {
    const selectKey = createLocalJWKSet(keys)
    const { payload, key } = await compactVerify(jws, selectKey, { algorithms: ALGORITHMS })
    const content: unknown = JSON.parse(new TextDecoder().decode(payload))
    if (trustedRoots.length === 0) return { kind: 'verified', content, signature: 'UNVERIFIED' }
    // Not by the id of the key: a key set may show the certificate of another key under the same id.
    const signingKey = KeyObject.from(key as webcrypto.CryptoKey)
    if (!keys.keys.some(({ x5c }) => isChainTrusted(x5c ?? [], { signingKey, trustedRoots, now })))
      return { kind: 'invalid', fault: 'certificate' }
    return { kind: 'verified', content, signature: 'VERIFIED' }
  } catch {
    return { kind: 'invalid', fault: 'signature' }
  }
}

function parseHeader(jws: string) {
  try {
    return jws.split('.').length === 3 ? decodeProtectedHeader(jws) : undefined
  } catch {
    return undefined
  }
}

/** Parses the address of the key set; null where it is not https on the host of the location. */
function parseKeyAddress(jku: unknown, location: URL): URL | null {
  if (typeof jku !== 'string' || !URL.canParse(jku)) return null
  const address = new URL(jku)
  const isPlain = address.protocol === 'https:' && address.username === '' && address.password === ''
  return isPlain && address.host === location.host ? address : null
}

function parseKeySet(text: string): JSONWebKeySet | null {
  try {
    const { keys } = JSON.parse(text)
    return Array.isArray(keys) &&
      keys.length > 0 &&
      keys.every(key => typeof key === 'object' && key !== null)
      ? { keys }
      : null
  } catch {
    return null
  }
}

type ChainOptions = { signingKey: KeyObject; trustedRoots: X509Certificate[]; now: Date }

/** Tests whether certificates (base64 of DER) begin with one of the signing key, are valid now, and end in a trusted one. */
function isChainTrusted(certificates: string[], { signingKey, trustedRoots, now }: ChainOptions): boolean {
  try {
    const chain = certificates.map(der => new X509Certificate(Buffer.from(der, 'base64')))
    if (!chain[0]?.publicKey.equals(signingKey)) return false
    for (const [index, certificate] of chain.entries()) {
      if (now < new Date(certificate.validFrom) || now > new Date(certificate.validTo)) return false
      if (trustedRoots.some(root => isIssuedBy(certificate, root))) return true
      const issuer = chain[index + 1]
      if (!issuer || !isIssuedBy(certificate, issuer)) return false
    }
    return false
  } catch {
    return false
  }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}
