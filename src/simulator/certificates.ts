import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import * as x509 from '@peculiar/x509'

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

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000
/** TLS clients refuse server certificates valid for longer than this. */
const MAX_SERVER_CERTIFICATE_DAYS = 397

x509.cryptoProvider.set(webcrypto)

/** Opens the authority in `<home>/tls`, or creates it; only the owner of the files can read its key. */
export async function openCertificateAuthority(home: string): Promise<CertificateAuthority> {
  const folder = resolve(home, 'tls')
  const caFile = join(folder, 'ca.pem')
  const keyFile = join(folder, 'ca.key')
  if (!existsSync(caFile) || !existsSync(keyFile)) {
    mkdirSync(folder, { recursive: true })
    const authority = await createAuthority()
    writeFileSync(keyFile, authority.key, { mode: 0o600 })
    writeFileSync(caFile, authority.certificate)
  }
  const ca = readFileSync(caFile, 'utf8')
  const issuer = {
    certificate: new x509.X509Certificate(ca),
    key: await importSigningKey(readFileSync(keyFile, 'utf8')),
  }

  return {
    caFile,
    ca,
    issueServerCertificate: hosts =>
      issueCertificate(issuer, { commonName: 'localhost', usage: x509.ExtendedKeyUsage.serverAuth, hosts }),
    issueClientCertificate: commonName =>
      issueCertificate(issuer, { commonName, usage: x509.ExtendedKeyUsage.clientAuth, hosts: [] }),
  }
}

type CertificateIssuer = { certificate: x509.X509Certificate; key: webcrypto.CryptoKey }
type CertificateSubject = { commonName: string; usage: x509.ExtendedKeyUsage; hosts: readonly string[] }

async function createAuthority(): Promise<TlsCredential> {
  const keys = await generateKeyPair()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Trilho simulator, O=Trilho',
    ...certificateValidity(3650),
    keys: keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: certificate.toString('pem'), key: await exportPrivatePem(keys.privateKey) }
}

async function issueCertificate(
  issuer: CertificateIssuer,
  { commonName, usage, hosts }: CertificateSubject,
): Promise<TlsCredential> {
  const keys = await generateKeyPair()
  const names = hosts.map(host => ({ type: isIP(host) ? 'ip' : 'dns', value: host }) as const)
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [commonName] }, { O: ['Trilho'] }],
    issuer: issuer.certificate.subject,
    ...certificateValidity(MAX_SERVER_CERTIFICATE_DAYS),
    publicKey: keys.publicKey,
    signingKey: issuer.key,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([usage]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate),
      ...(names.length ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ],
  })
  return { certificate: certificate.toString('pem'), key: await exportPrivatePem(keys.privateKey) }
}

async function generateKeyPair(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
}

/** Computes a validity that starts yesterday, because clocks differ. */
function certificateValidity(days: number) {
  const notBefore = new Date(Date.now() - DAY_MS)
  return { notBefore, notAfter: new Date(notBefore.getTime() + days * DAY_MS) }
}

async function exportPrivatePem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}

async function importSigningKey(pem: string): Promise<webcrypto.CryptoKey> {
  const pkcs8 = x509.PemConverter.decodeFirst(pem)
  return await webcrypto.subtle.importKey('pkcs8', pkcs8, CURVE, false, ['sign'])
}
