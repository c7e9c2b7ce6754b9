import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { type CertificateExtension, generate } from 'selfsigned'

/** A certificate and its private key, both PEM. */
export type TlsCredential = { certificate: string; key: string }

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
    const authority = await generateCredential('Trilho simulator', {
      days: 3650,
      extensions: [
        { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    })
    writeFileSync(keyFile, authority.key, { mode: 0o600 })
    writeFileSync(caFile, authority.certificate)
  }
  const ca = readFileSync(caFile, 'utf8')
  const issue = (commonName: string, extensions: CertificateExtension[]) =>
    generateCredential(commonName, {
      days: MAX_SERVER_CERTIFICATE_DAYS,
      extensions: [
        { name: 'basicConstraints', cA: false, critical: true },
        { name: 'keyUsage', digitalSignature: true, critical: true },
        ...extensions,
      ],
      ca: { cert: ca, key: readFileSync(keyFile, 'utf8') },
    })

  return {
    caFile,
    ca,
    issueServerCertificate: hosts =>
      issue('localhost', [
        { name: 'extKeyUsage', serverAuth: true },
        {
          name: 'subjectAltName',
          altNames: hosts.map(host => (isIP(host) ? { type: 7, ip: host } : { type: 2, value: host })),
        },
      ]),
    issueClientCertificate: commonName => issue(commonName, [{ name: 'extKeyUsage', clientAuth: true }]),
  }
}

type CertificateOptions = {
  days: number
  extensions: CertificateExtension[]
  /** The authority that signs; without it the certificate is self-signed. */
  ca?: { cert: string; key: string }
}

/** Generates a key pair and its certificate, valid since yesterday, because clocks differ. */
async function generateCredential(
  commonName: string,
  { days, ...options }: CertificateOptions,
): Promise<TlsCredential> {
  const notBeforeDate = new Date(Date.now() - DAY_MS)
  const { cert, private: key } = await generate(
    [
      { name: 'commonName', value: commonName },
      { name: 'organizationName', value: 'Trilho' },
    ],
    {
      ...options,
      keyType: 'ec',
      algorithm: 'sha256',
      notBeforeDate,
      notAfterDate: new Date(notBeforeDate.getTime() + days * DAY_MS),
    },
  )
  return { certificate: cert, key }
}
