import { generate } from 'selfsigned'

/** A self-signed certificate, which is its own authority and valid for localhost. */
export async function createSelfSignedCertificate(
  commonName = 'localhost',
  lifetimeMs = 3_600_000,
): Promise<{ certificate: string; key: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() + Math.min(0, lifetimeMs) - 60_000),
    notAfterDate: new Date(Date.now() + lifetimeMs),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  })
  return { certificate: cert, key }
}
