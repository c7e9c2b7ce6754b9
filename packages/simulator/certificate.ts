import { createPrivateKey, generateKeyPair, randomBytes, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { type BaseBlock, BitString, Integer, OctetString, Utf8String } from 'asn1js'
import ipaddr from 'ipaddr.js'
import {
  AttributeTypeAndValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  ExtKeyUsage,
  GeneralName,
  GeneralNames,
  PublicKeyInfo,
  type RelativeDistinguishedNames,
} from 'pkijs'

/** A certificate and its private key, both PEM. */
export type TlsCredential = { certificate: string; key: string }

export type CertificateRequest = {
  commonName: string
  notBefore: Date
  notAfter: Date
  /** The certificate signs others. */
  authority?: boolean
  /** What the certificate is for; without it, for everything. */
  purpose?: 'server' | 'client'
  /** Host names and IP addresses that the certificate is valid for. */
  hosts?: readonly string[]
  /** The authority that signs; without it the certificate signs itself. */
  issuer?: TlsCredential
}

/** Object identifiers of RFC 5280, sections 4.2.1 and A.1. */
const OID = {
  commonName: '2.5.4.3',
  organizationName: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
}
/** The bits of RFC 5280, section 4.2.1.3, in the first byte of a key usage. */
const DIGITAL_SIGNATURE = 0x80
const KEY_CERT_SIGN = 0x04
const CRL_SIGN = 0x02
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' }

/** Creates a P-256 key and its certificate as RFC 5280 asks for it, with the key identifiers that strict clients require. */
export async function createCertificate(request: CertificateRequest): Promise<TlsCredential> {
  const keys = await promisify(generateKeyPair)('ec', CURVE)
  const issuer = request.issuer && parseCertificate(request.issuer.certificate)
  const certificate = new Certificate()
  certificate.version = 2
  certificate.serialNumber = Integer.fromBigInt(BigInt(`0x${randomBytes(9).toString('hex')}`))
  certificate.notBefore.value = request.notBefore
  certificate.notAfter.value = request.notAfter
  addName(certificate.subject, request.commonName)
  certificate.issuer = issuer?.subject ?? certificate.subject
  certificate.subjectPublicKeyInfo = PublicKeyInfo.fromBER(
    keys.publicKey.export({ type: 'spki', format: 'der' }),
  )
  certificate.extensions = await createExtensions(certificate, issuer ?? certificate, request)

  const signingKey = request.issuer ? createPrivateKey(request.issuer.key) : keys.privateKey
  await certificate.sign(signingKey.toCryptoKey(CURVE, false, ['sign']), 'SHA-256')
  return {
    certificate: new X509Certificate(Buffer.from(certificate.toSchema(true).toBER())).toString(),
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

async function createExtensions(
  subject: Certificate,
  issuer: Certificate,
  { authority = false, purpose, hosts = [] }: CertificateRequest,
): Promise<Extension[]> {
  const usage = DIGITAL_SIGNATURE | (authority ? KEY_CERT_SIGN | CRL_SIGN : 0)
  const unusedBits = authority ? 1 : 7
  const constraints = new BasicConstraints(authority ? { cA: true, pathLenConstraint: 0 } : {})
  const extensions = [
    extension(OID.basicConstraints, constraints.toSchema(), true),
    extension(OID.keyUsage, new BitString({ valueHex: Uint8Array.of(usage).buffer, unusedBits }), true),
    extension(OID.subjectKeyIdentifier, await createKeyIdentifier(subject)),
    extension(
      OID.authorityKeyIdentifier,
      new AuthorityKeyIdentifier({ keyIdentifier: await createKeyIdentifier(issuer) }).toSchema(),
    ),
  ]
  if (purpose)
    extensions.push(extension(OID.extKeyUsage, new ExtKeyUsage({ keyPurposes: [OID[purpose]] }).toSchema()))
  if (hosts.length > 0)
    extensions.push(
      extension(OID.subjectAltName, new GeneralNames({ names: hosts.map(createHostName) }).toSchema()),
    )
  return extensions
}

function extension(extnID: string, value: BaseBlock, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: value.toBER() })
}

/** Creates the identifier of a certificate's key: the SHA-1 of the key (RFC 5280, section 4.2.1.2). */
async function createKeyIdentifier(certificate: Certificate): Promise<OctetString> {
  return new OctetString({ valueHex: await certificate.getKeyHash() })
}

function createHostName(host: string): GeneralName {
  return isIP(host)
    ? new GeneralName({
        type: 7,
        value: new OctetString({ valueHex: Uint8Array.from(ipaddr.parse(host).toByteArray()).buffer }),
      })
    : new GeneralName({ type: 2, value: host })
}

function addName(name: RelativeDistinguishedNames, commonName: string): void {
  for (const [type, value] of [
    [OID.commonName, commonName],
    [OID.organizationName, 'Trilho'],
  ] as const)
    name.typesAndValues.push(new AttributeTypeAndValue({ type, value: new Utf8String({ value }) }))
}

function parseCertificate(pem: string): Certificate {
  return Certificate.fromBER(new X509Certificate(pem).raw)
}
