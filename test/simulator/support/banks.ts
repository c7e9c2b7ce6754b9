import { openContract } from '../../support/openapi-contract.ts'
import { createBankClient, type DescribedPart } from './bank-client.ts'
import { SHOP, type SimulatorFixture } from './simulator-fixture.ts'

/**
 * The Central Bank's document. Its list of charges requires an `idCob` and its webhook a `cnpj` in the place of the key, which no
 * text of it describes.
 */
const BACEN = {
  contract: openContract('bcb-pix-api-2.9.0.yaml'),
  defects: /missingProperty":"(?:idCob|cnpj)"/,
}

/** Two banks over the Central Bank's API, with the prefixes of their parts and the documents that describe them. */
export const BANKS = {
  sicoob: {
    provider: 'PROVIDER_C',
    tokenPath: '/auth/realms/cooperado/protocol/openid-connect/token',
    pix: '/pix/api/v2',
    described: [
      { prefix: '/pix/api/v2', contract: openContract('sicoob-pix.yaml') },
      { prefix: '/pix/api/v2', ...BACEN },
      { prefix: '/pix-pagamentos/v2', contract: openContract('sicoob-pagamentos-pix.yaml') },
      { prefix: '/conta-corrente/v4', contract: openContract('sicoob-conta-corrente.yaml') },
    ],
    credentials: { grant_type: 'client_credentials', client_id: 'sicoob-shop' },
    headers: { client_id: 'sicoob-shop' },
  },
  inter: {
    provider: 'PROVIDER_D',
    tokenPath: '/oauth/v2/token',
    pix: '/pix/v2',
    described: [
      { prefix: '', contract: openContract('inter-empresas.json') },
      { prefix: '/pix/v2', ...BACEN },
    ],
    credentials: {
      grant_type: 'client_credentials',
      client_id: 'inter-shop',
      client_secret: 'inter-secret',
      scope:
        'cob.read cob.write pix.read pix.write webhook.read webhook.write extrato.read pagamento-pix.read pagamento-pix.write webhook-banking.read webhook-banking.write',
    },
    headers: { 'x-conta-corrente': '13525622' },
  },
} as const
export type BankName = keyof typeof BANKS

/** The key of each bank's account. */
export const BANK_KEYS = { sicoob: 'sicoob@trilho.test', inter: 'inter@trilho.test' } as const

/** Creates or changes the account of a bank: `<bank>-shop`, with 100 reais and one key. */
export async function putBankAccount(
  { control }: Pick<SimulatorFixture, 'control'>,
  bank: BankName,
  changes: object = {},
) {
  const { provider } = BANKS[bank]
  await control.putAccount(bank, {
    ...SHOP,
    provider,
    dialect: bank,
    client_id: `${bank}-shop`,
    client_secret: `${bank}-secret`,
    keys: [BANK_KEYS[bank]],
    ispb: bank === 'sicoob' ? '02038232' : '00416968',
    ...changes,
  })
}

/** Creates a client of a bank's account, with a certificate of the local authority unless told otherwise. */
export async function createBankCaller(
  { control, facts, ca }: Pick<SimulatorFixture, 'control' | 'facts' | 'ca'>,
  bank: BankName,
  {
    hasCertificate = true,
    clientId,
    described = BANKS[bank].described,
  }: { hasCertificate?: boolean; clientId?: string; described?: readonly DescribedPart[] } = {},
) {
  const { provider, tokenPath, credentials, headers } = BANKS[bank]
  return createBankClient(facts.providers[provider].base_url, {
    ca,
    ...(hasCertificate ? { certificate: await control.issueCertificate(`${bank} client`) } : {}),
    tokenPath,
    described: [...described],
    credentials: { ...credentials, ...(clientId === undefined ? {} : { client_id: clientId }) },
    headers: bank === 'sicoob' ? { client_id: clientId ?? 'sicoob-shop' } : headers,
  })
}
