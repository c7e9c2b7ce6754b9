import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { createCertificate, type TlsCredential } from './certificate.ts'

/** The simulator's certificate authority, which signs the certificates of all its ports and its client certificates. */
export type CertificateAuthority = {
  /** Absolute path of the authority's certificate; a client that trusts it trusts every simulated provider. */
  caFile: string
  ca: string
  issueServerCertificate(hosts: readonly string[]): Promise<TlsCredential>
  issueClientCertificate(commonName: string): Promise<TlsCredential>
}

/** Host names in the providers' official SDKs, which a test maps to the simulator. */
const PROVIDER_HOSTS = [
  'pix.api.efipay.com.br',
  'pix-h.api.efipay.com.br',
  'api.woovi.com',
  'api.openpix.com.br',
  'api.starkbank.com',
  'sandbox.api.starkbank.com',
  'api.sicoob.com.br',
  'auth.sicoob.com.br',
  'cdpj.partners.bancointer.com.br',
  'cdpj-sandbox.partners.uatinter.co',
]

/** Lists the names of the simulator's server certificate: its own, the providers' and the configured `hosts`. */
export function listServerHosts(...hosts: string[]): string[] {
  return [...new Set(['localhost', '127.0.0.1', '::1', ...PROVIDER_HOSTS, hostname(), ...hosts])]
}

const DAY_MS = 86_400_000
/** TLS clients refuse server certificates valid for longer than this. */
const MAX_SERVER_CERTIFICATE_DAYS = 397

/** Opens the authority in `<home>/tls`, or creates it; only the owner of the files can read its key. */
export async function openCertificateAuthority(home: string): Promise<CertificateAuthority> {
  const folder = resolve(home, 'tls')
  const caFile = join(folder, 'ca.pem')
  const keyFile = join(folder, 'ca.key')
  if (!existsSync(caFile) || !existsSync(keyFile)) {
    mkdirSync(folder, { recursive: true })
    const authority = await createCertificate({
      commonName: 'Trilho simulator',
      ...validForDays(3650),
      authority: true,
    })
    writeFileSync(keyFile, authority.key, { mode: 0o600 })
    writeFileSync(caFile, authority.certificate)
  }
  const ca = readFileSync(caFile, 'utf8')
  const issuer = { certificate: ca, key: readFileSync(keyFile, 'utf8') }
  const validity = () => validForDays(MAX_SERVER_CERTIFICATE_DAYS)

  return {
    caFile,
    ca,
    issueServerCertificate: hosts =>
      createCertificate({ commonName: 'localhost', ...validity(), purpose: 'server', hosts, issuer }),
    issueClientCertificate: commonName =>
      createCertificate({ commonName, ...validity(), purpose: 'client', issuer }),
  }
}

/** Returns a validity that began yesterday, because clocks differ. */
function validForDays(days: number): { notBefore: Date; notAfter: Date } {
  const notBefore = new Date(Date.now() - DAY_MS)
  return { notBefore, notAfter: new Date(notBefore.getTime() + days * DAY_MS) }
}
