import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createCertificate } from '../../../packages/simulator/certificate.ts'
import { createSelfSignedCertificate } from '../../providers/support/certificate.ts'
import { useOperatorDashboard } from '../support/operator-dashboard.ts'

/** An operator connects an account at a bank with a client certificate: what is wrong with it is named by its field, and nothing is stored. */

const ACCOUNTS = '/dashboard/operator/accounts'
const DAY_MS = 86_400_000
const dashboard = useOperatorDashboard()

const own = await createSelfSignedCertificate('own')
const other = await createSelfSignedCertificate('other')
const createFor = (fromDays: number, toDays: number) =>
  createCertificate({
    commonName: 'own',
    notBefore: new Date(Date.now() + fromDays * DAY_MS),
    notAfter: new Date(Date.now() + toDays * DAY_MS),
  })
const expired = await createFor(-10, -1)
const future = await createFor(1, 10)

const buildForm = (account: string): Record<string, string> => ({
  account,
  once: randomUUID(),
  dialect: 'sicoob',
  provider: 'PROVIDER_C',
  type: 'NOMINAL',
  provider_account: randomUUID(),
  base_url: 'https://api.bank.example',
  client_id: 'app-1',
  current_account: '48213705',
  certificate: own.certificate,
  private_key: own.key,
  simulated: 'no',
  account_agency: '1',
  account_number: '4821370-5',
  bank_name: 'Banco',
  bank_ispb: '02038232',
  reason: 'contract 12',
})
const connect = (form: Record<string, string>) =>
  dashboard.operator.confirm(`${ACCOUNTS}/connect`, form, {
    on: `${ACCOUNTS}/${form.account}/connect?dialect=${form.dialect}`,
  })
const listStored = (account: string) =>
  dashboard.fixture.orm.em
    .fork()
    .execute('select sealed_credentials, virtual_account from connection where account_uuid = ?', [account])

test('a connection is stored with its certificate, sealed, and a secret of ours for its notifications', async () => {
  const form = buildForm(await dashboard.fixture.insertAccount())
  expect((await connect(form)).status).toBe(303)
  const [row] = await listStored(form.account!)
  expect(dashboard.fixture.dependencies.sealer.open(row!.sealed_credentials)).toEqual({
    client_id: 'app-1',
    account_number: '48213705',
    certificate: own.certificate.trim(),
    private_key: own.key.trim(),
    notification_secret: expect.stringMatching(/^[\w-]{32}$/),
  })
  expect(row!.virtual_account).toMatchObject({ account_number: '4821370-5' })
  expect(JSON.stringify(row)).not.toContain('BEGIN')
})

test('a simulated account needs no certificate', async () => {
  const form = buildForm(await dashboard.fixture.insertAccount())
  expect((await connect({ ...form, certificate: '', private_key: '', simulated: 'yes' })).status).toBe(303)
})

test.each<[what: string, change: Record<string, string>, field: string]>([
  ['without a certificate for a real account', { certificate: '', private_key: '' }, 'certificate'],
  ['with a certificate without its key', { private_key: '' }, 'private_key'],
  ['with a key without its certificate', { certificate: '' }, 'certificate'],
  ['with the key of another certificate', { private_key: other.key }, 'private_key'],
  [
    'with an expired certificate',
    { certificate: expired.certificate, private_key: expired.key },
    'certificate',
  ],
  [
    'with a certificate that is not valid yet',
    { certificate: future.certificate, private_key: future.key },
    'certificate',
  ],
  [
    'with a certificate of more than 64 kB',
    { certificate: `-----BEGIN CERTIFICATE-----\n${'A'.repeat(64 * 1024)}` },
    'certificate',
  ],
  ['with a certificate that is no PEM', { certificate: 'MIIB' }, 'certificate'],
  ['with a malformed certificate', { certificate: '-----BEGIN CERTIFICATE-----\nAAAA' }, 'certificate'],
  ['with a malformed key', { private_key: '-----BEGIN PRIVATE KEY-----\nAAAA' }, 'private_key'],
  ['without a client id', { client_id: '' }, 'client_id'],
  ['without the number of the account', { current_account: '' }, 'current_account'],
  ['with a formatted number of the account', { current_account: '4821370-5' }, 'current_account'],
])('credentials %s are not stored, and the field is named', async (_, change, field) => {
  const form = { ...buildForm(await dashboard.fixture.insertAccount()), ...change }
  const { status, text } = await connect(form)
  expect([status, text.includes(`id="in-${field}-wrong"`)]).toEqual([422, true])
  expect(text.match(/id="in-[\w]+-wrong"/g)).toHaveLength(1)
  expect([
    await listStored(form.account!),
    dashboard.bank.identifications,
    dashboard.bank.registered,
  ]).toEqual([[], 0, []])
  for (const secret of [own, other, expired, future].flatMap(({ certificate, key }) => [certificate, key])) {
    const line = secret.split('\n')[1]!
    expect([text.includes(line), dashboard.fixture.lines.join().includes(line)]).toEqual([false, false])
  }
})

test('credentials are not replaced by those of an expired certificate', async () => {
  const form = buildForm(await dashboard.fixture.insertAccount())
  await connect(form)
  const [before] = await listStored(form.account!)
  const replacement = {
    uuid: form.once!,
    client_id: 'app-1',
    current_account: '48213705',
    certificate: expired.certificate,
    private_key: expired.key,
    reason: 'the old one expires',
  }
  const on = `${ACCOUNTS}/connections/${form.once}`
  const { status, text } = await dashboard.operator.confirm(
    `${ACCOUNTS}/connections/credentials`,
    replacement,
    { on },
  )
  expect([status, text.includes('id="in-certificate-wrong"')]).toEqual([422, true])
  expect(await listStored(form.account!)).toEqual([before])
})
