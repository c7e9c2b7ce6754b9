import { createCertificate, type TlsCredential } from '../../../packages/simulator/certificate.ts'

/** A self-signed certificate, which is its own authority and valid for localhost. */
export function createSelfSignedCertificate(
  commonName = 'localhost',
  lifetimeMs = 3_600_000,
): Promise<TlsCredential> {
  return createCertificate({
    commonName,
    notBefore: new Date(Date.now() + Math.min(0, lifetimeMs) - 60_000),
    notAfter: new Date(Date.now() + lifetimeMs),
    authority: true,
    hosts: ['localhost'],
  })
}
