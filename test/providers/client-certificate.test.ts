import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { findCertificateFault } from '../../src/providers/adapter/client-certificate.ts'
import { CREDENTIALS_SCHEMAS } from '../../src/providers/registry.ts'
import { createSelfSignedCertificate } from './support/certificate.ts'

const own = await createSelfSignedCertificate('own')
const other = await createSelfSignedCertificate('other')
const { privateKey: encryptedKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'hush' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const BASE = {
  efi: { client_id: 'a', client_secret: 'b', notification_secret: 'c' },
  inter: { client_id: 'a', client_secret: 'b', account_number: '1', notification_secret: 'c' },
  sicoob: { client_id: 'a', account_number: '1', notification_secret: 'c' },
}
const TOO_LARGE = `-----BEGIN CERTIFICATE-----\n${'A'.repeat(64 * 1024)}\n-----END CERTIFICATE-----\n`

describe.each(['efi', 'inter', 'sicoob'] as const)('the certificate of %s', dialect => {
  const listErrors = (pair: { certificate?: unknown; private_key?: unknown }) => {
    const { error } = CREDENTIALS_SCHEMAS[dialect].safeParse({ ...BASE[dialect], ...pair })
    return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`)
  }

  test('is accepted with its key, and a chain is', () => {
    expect(listErrors({ certificate: own.certificate, private_key: own.key })).toEqual([])
    const chain = `${own.certificate}${other.certificate}`
    expect(listErrors({ certificate: chain, private_key: own.key })).toEqual([])
    expect(listErrors({})).toEqual([])
  })

  test.each<[string, { certificate?: unknown; private_key?: unknown }, string[]]>([
    ['without its key', { certificate: own.certificate }, ['private_key must be given with the certificate']],
    [
      'that is missing beside its key',
      { private_key: own.key },
      ['certificate must be given with the private key'],
    ],
    [
      'with the key of another',
      { certificate: own.certificate, private_key: other.key },
      ['private_key must be the private key of the certificate'],
    ],
    [
      'of more than 64 kB',
      { certificate: TOO_LARGE, private_key: own.key },
      ['certificate must be at most 64 kB'],
    ],
    [
      'with a key of more than 64 kB',
      { certificate: own.certificate, private_key: TOO_LARGE },
      ['private_key must be at most 64 kB'],
    ],
    [
      'that is no PEM text',
      { certificate: 'MIIB', private_key: own.key },
      ['certificate must be a PEM text, which begins with -----BEGIN'],
    ],
    [
      'that cannot be read',
      { certificate: own.certificate.replace(/\n[^-]{20}/, '\n'), private_key: own.key },
      ['certificate must be a certificate that can be read'],
    ],
    [
      'that is a key',
      { certificate: own.key, private_key: own.key },
      ['certificate must be a certificate that can be read'],
    ],
    [
      'with a key that cannot be read',
      {
        certificate: own.certificate,
        private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
      },
      ['private_key must be a private key that can be read, without a passphrase'],
    ],
    [
      'with an encrypted key',
      { certificate: own.certificate, private_key: encryptedKey },
      ['private_key must be a private key that can be read, without a passphrase'],
    ],
    [
      'beside a certificate in place of the key',
      { certificate: own.certificate, private_key: own.certificate },
      ['private_key must be a private key that can be read, without a passphrase'],
    ],
  ])('%s is refused by its field', (_, pair, errors) => {
    expect(listErrors(pair)).toEqual(errors)
  })

  test('of another type is refused by its field', () => {
    expect(listErrors({ certificate: 7, private_key: own.key })).toEqual([
      expect.stringMatching(/^certificate /),
    ])
  })
})

describe('the validity of a certificate', () => {
  const day = 86_400_000
  const now = Date.now()
  const find = (credentials: unknown, nowMs: number, isRequired = true) =>
    findCertificateFault(credentials, { isRequired, nowMs })

  test('is that of the certificate', () => {
    expect(find(own, now)).toBeNull()
    expect(find(own, now + day)).toMatchObject({ field: 'certificate', text: 'has expired ({time})' })
    expect(find(own, now - day)).toMatchObject({ field: 'certificate', text: 'is not valid yet ({time})' })
  })

  test('a real account needs one where its API has one', () => {
    for (const none of [{}, { certificate: '' }, null])
      expect([find(none, now), find(none, now, false)]).toEqual([
        { field: 'certificate', text: 'is required by the provider' },
        null,
      ])
  })
})
