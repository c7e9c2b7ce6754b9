import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { createCertificate } from '../../../packages/simulator/certificate.ts'
import { PROVIDER_APIS, type ProviderApi } from '../../../src/domain/providers/provider.ts'
import { createSelfSignedCertificate } from '../../providers/support/certificate.ts'
import { useOperatorDashboard } from '../support/operator-dashboard.ts'

/** What an operator reads whose credentials a bank does not accept, or who gives those of another account: the same table for each bank. */

const ACCOUNTS = '/dashboard/operator/accounts'
const DAY_MS = 86_400_000
const dashboard = useOperatorDashboard()

const own = await createSelfSignedCertificate('own')
const other = await createSelfSignedCertificate('other')
const expired = await createCertificate({
  commonName: 'own',
  notBefore: new Date(Date.now() - 10 * DAY_MS),
  notAfter: new Date(Date.now() - DAY_MS),
})
const createKey = (namedCurve: string) =>
  generateKeyPairSync('ec', {
    namedCurve,
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey
const [starkKey, otherCurveKey] = [createKey('secp256k1'), createKey('P-256')]

type Fields = Record<string, string>
const CERTIFICATE = { certificate: own.certificate, private_key: own.key }
const CREDENTIALS: Record<ProviderApi, Fields> = {
  efi: { client_id: 'app-1', client_secret: 'secret-1', ...CERTIFICATE },
  sicoob: { client_id: 'app-1', current_account: '48213705', ...CERTIFICATE },
  inter: { client_id: 'app-1', client_secret: 'secret-1', current_account: '48213705', ...CERTIFICATE },
  woovi: { app_id: 'app-1' },
  stark: { access_id: 'project/5656565656565656', private_key: starkKey },
}
const firstField = (dialect: ProviderApi) => Object.keys(CREDENTIALS[dialect])[0]!

const buildForm = async (dialect: ProviderApi): Promise<Fields> => ({
  account: await dashboard.fixture.insertAccount(),
  once: randomUUID(),
  dialect,
  provider: 'PROVIDER_A',
  type: 'NOMINAL',
  provider_account: randomUUID(),
  base_url: 'https://api.bank.example',
  ...CREDENTIALS[dialect],
  simulated: 'no',
  account_agency: '1',
  account_number: '4821370-5',
  bank_name: 'Banco',
  bank_ispb: '02038232',
  reason: 'contract 12',
})
const connect = (form: Fields) =>
  dashboard.operator.confirm(`${ACCOUNTS}/connect`, form, {
    on: `${ACCOUNTS}/${form.account}/connect?dialect=${form.dialect}`,
  })
const replace = (uuid: string, credentials: Fields) =>
  dashboard.operator.confirm(
    `${ACCOUNTS}/connections/credentials`,
    { uuid, ...credentials, reason: 'the old ones end' },
    { on: `${ACCOUNTS}/connections/${uuid}` },
  )
const listStored = (account: string) =>
  dashboard.fixture.orm.em
    .fork()
    .execute('select uuid, sealed_credentials from connection where account_uuid = ?', [account])
/** The fields that a page marks as wrong, each with its message. */
const readErrors = (text: string) =>
  [...text.matchAll(/id="in-(\w+)-wrong"[^>]*>([^<]*)/g)].map(([, field, message]) => `${field} ${message}`)

const noAnswer = (code: string) => ({ kind: 'no_answer', code, message: 'the bank says no' })

describe.each(PROVIDER_APIS)('%s', dialect => {
  const hasCertificate = 'certificate' in CREDENTIALS[dialect]

  /** Bad input that needs no answer of the bank, and the field and message that name it. */
  const wrongCredentials: [what: string, change: Fields, error: RegExp][] = [
    [
      `without its ${firstField(dialect)}`,
      { [firstField(dialect)]: '' },
      new RegExp(`^${firstField(dialect)} `),
    ],
    ...(hasCertificate
      ? ([
          [
            'with the key of another certificate',
            { private_key: other.key },
            /^private_key .*of the certificate/,
          ],
          [
            'with an expired certificate',
            { certificate: expired.certificate, private_key: expired.key },
            /^certificate has expired/,
          ],
          ['without a certificate', { certificate: '', private_key: '' }, /^certificate is required/],
        ] as [string, Fields, RegExp][])
      : []),
    ...(dialect === 'stark'
      ? ([
          ['with a key of another curve', { private_key: otherCurveKey }, /^private_key .*secp256k1/],
          ['with a malformed key', { private_key: '-----BEGIN EC PRIVATE KEY-----\nAAAA' }, /^private_key /],
          ['with a malformed access id', { access_id: 'project' }, /^access_id /],
        ] as [string, Fields, RegExp][])
      : []),
  ]
  test.each(wrongCredentials)('credentials %s are refused by their field', async (_, change, error) => {
    const form = { ...(await buildForm(dialect)), ...change }
    const { status, text } = await connect(form)
    expect([status, readErrors(text)]).toEqual([422, [expect.stringMatching(error)]])
    expect([await listStored(form.account!), dashboard.bank.registered]).toEqual([[], []])
  })

  test.each([
    [
      'that the bank refuses',
      'no_token',
      `${firstField(dialect)} were refused by the provider: the bank says no`,
    ],
    [
      'whose secure connection the bank ends',
      'tls_failed',
      hasCertificate
        ? 'certificate was not accepted by the provider, or the address is not the provider’s (the bank says no)'
        : 'base_url must be an address at which the provider answers (the bank says no)',
    ],
    [
      'at an address without a bank',
      'dns_failed',
      'base_url must be an address at which the provider answers (the bank says no)',
    ],
    [
      'without a permission',
      'http_403',
      `${firstField(dialect)} do not identify the account at the provider`,
    ],
  ])('credentials %s are refused in words', async (_, code, error) => {
    dashboard.bank.identity = noAnswer(code)
    const form = await buildForm(dialect)
    const { status, text } = await connect(form)
    expect([status, readErrors(text)]).toEqual([422, [expect.stringContaining(error)]])
    expect([await listStored(form.account!), dashboard.bank.registered]).toEqual([[], []])
  })

  test('credentials of an account that is connected under another name are refused', async () => {
    const form = await buildForm(dialect)
    expect((await connect(form)).status).toBe(303)
    const again = { ...form, once: randomUUID(), provider_account: randomUUID() }
    const { status, text } = await connect(again)
    expect([status, readErrors(text)]).toEqual([
      422,
      [expect.stringMatching(/^provider_account is one account with/)],
    ])
    expect(await listStored(form.account!)).toHaveLength(1)
  })

  test('credentials of another account do not replace those of a connection', async () => {
    const form = await buildForm(dialect)
    expect((await connect(form)).status).toBe(303)
    const stored = await listStored(form.account!)
    dashboard.bank.identity = { kind: 'found', id: randomUUID() }
    const { status, text } = await replace(form.once!, CREDENTIALS[dialect])
    expect([status, readErrors(text)]).toEqual([
      422,
      [expect.stringMatching(new RegExp(`^${firstField(dialect)} .*belong to another account`))],
    ])
    expect([await listStored(form.account!), dashboard.bank.registered.length]).toEqual([stored, 1])
  })
})
