import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type AuthorityKeyIdentifier, Certificate } from 'pkijs'
import {
  type CertificateAuthority,
  listServerHosts,
  openCertificateAuthority,
} from '../../packages/simulator/certificates.ts'

/** Clients that verify strictly (Python since 3.13, OpenSSL with -x509_strict) accept what the simulator creates. */

let home: string
let authority: CertificateAuthority
let leaves: Record<'sslserver' | 'sslclient', string>
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'simulator-tls-'))
  authority = await openCertificateAuthority(home)
  leaves = {
    sslserver: (await authority.issueServerCertificate(listServerHosts('pix.example.test', '10.0.0.7')))
      .certificate,
    sslclient: (await authority.issueClientCertificate('client of a test')).certificate,
  }
})
afterAll(() => rmSync(home, { recursive: true }))

const KEY_IDENTIFIER = '2.5.29.14'
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35'
/** Reads the extensions by their object identifiers, and the two identifiers of keys in hexadecimal. */
function readExtensions(pem: string) {
  const extensions = Certificate.fromBER(new X509Certificate(pem).raw).extensions ?? []
  const find = (oid: string) => extensions.find(({ extnID }) => extnID === oid)?.parsedValue
  const issuerKey: AuthorityKeyIdentifier | undefined = find(AUTHORITY_KEY_IDENTIFIER)
  return {
    critical: extensions.filter(({ critical }) => critical).map(({ extnID }) => extnID),
    key: toHex(find(KEY_IDENTIFIER)?.valueBlock.valueHexView),
    issuerKey: toHex(issuerKey?.keyIdentifier?.valueBlock.valueHexView),
  }
}
const toHex = (bytes: Uint8Array = new Uint8Array()) => Buffer.from(bytes).toString('hex')

describe('extensions', () => {
  test('the authority names its own key, and may sign certificates only for leaves', () => {
    const { key, issuerKey, critical } = readExtensions(authority.ca)
    expect(key).toMatch(/^[0-9a-f]{40}$/)
    expect(issuerKey).toBe(key)
    // Basic constraints and key usage.
    expect(critical).toEqual(['2.5.29.19', '2.5.29.15'])
    expect(new X509Certificate(authority.ca).ca).toBe(true)
  })

  test.each(['sslserver', 'sslclient'] as const)(
    'a leaf for %s names its key and the key of its authority',
    leaf => {
      const { key, issuerKey, critical } = readExtensions(leaves[leaf])
      expect(key).toMatch(/^[0-9a-f]{40}$/)
      expect(issuerKey).toBe(readExtensions(authority.ca).key)
      expect(key).not.toBe(issuerKey)
      expect(critical).toEqual(['2.5.29.19', '2.5.29.15'])
      const certificate = new X509Certificate(leaves[leaf])
      expect(certificate.ca).toBe(false)
      expect(certificate.keyUsage).toEqual([
        { sslserver: '1.3.6.1.5.5.7.3.1', sslclient: '1.3.6.1.5.5.7.3.2' }[leaf],
      ])
    },
  )

  test('a server certificate is valid for every name and address, of both versions', () => {
    const certificate = new X509Certificate(leaves.sslserver)
    expect(certificate.checkHost('pix.example.test')).toBe('pix.example.test')
    for (const ip of ['127.0.0.1', '::1', '10.0.0.7']) expect(certificate.checkIP(ip)).toBe(ip)
    expect(certificate.checkHost('other.example.test')).toBeUndefined()
  })
})

/** OpenSSL's program applies the rules; a machine without it has the tests above. */
const strictly = spawnSync('openssl', ['version']).status === 0 ? test : test.skip
strictly.each(['sslserver', 'sslclient'] as const)(
  'openssl verifies the authority and a leaf for %s strictly',
  leaf => {
    const file = join(home, `${leaf}.pem`)
    writeFileSync(file, leaves[leaf])
    const verify = (purpose: string[], checked: string) =>
      execFileSync('openssl', ['verify', '-x509_strict', ...purpose, '-CAfile', authority.caFile, checked], {
        encoding: 'utf8',
        stdio: 'pipe',
      })
    expect(verify(['-purpose', leaf], file)).toBe(`${file}: OK\n`)
    expect(verify([], authority.caFile)).toBe(`${authority.caFile}: OK\n`)
  },
)
