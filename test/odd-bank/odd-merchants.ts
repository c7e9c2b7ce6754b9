import { randomUUID } from 'node:crypto'
import { createConnection, postOpeningBalance } from '../../src/admin/connections.ts'
import { replaceDefaultConnections } from '../../src/db/repositories/connections.ts'
import { NO_FEES } from '../../src/domain/ledger/money.ts'
import type { ProviderName } from '../../src/domain/providers/provider.ts'
import type { TestStack } from '../api/support/test-stack.ts'
import type { BankAccount, BankApiName, OddBank } from './bank-server.ts'

/** A merchant of one case, with an account at the odd bank and one at another bank that is always honest. */
export type OddMerchant = Awaited<ReturnType<typeof createOddMerchant>>
export type Banks = Record<BankApiName, OddBank>

const PROVIDERS: Record<BankApiName, ProviderName> = { efi: 'PROVIDER_A', woovi: 'PROVIDER_B' }
const OPENING_CENTS = 1_000_00
/** Before the time scale: longer than any answer of the bank lags behind. */
const SETTLE_WINDOW_MS = 1_600_000

type MerchantInput = {
  stage: TestStack
  banks: Banks
  api: BankApiName
  isNotified: boolean
  hasFallback: boolean
}

export async function createOddMerchant({ stage, banks, api, isNotified, hasFallback }: MerchantInput) {
  const accountUuid = await stage.createEmptyAccount()
  await stage.sql(`update account set unmatched_policy = 'keep' where uuid = ?`, [accountUuid])
  const connect = async (name: BankApiName) => {
    const account = banks[name].openAccount({ openingCents: OPENING_CENTS })
    const connection = await createConnection(stage.orm.em.fork(), stage.seal, {
      accountUuid,
      provider: PROVIDERS[name],
      providerAccount: account.id,
      dialect: name,
      type: 'NOMINAL',
      isSimulated: true,
      baseUrl: banks[name].url,
      fees: NO_FEES,
      credentials: account.credentials,
      collectionKey: account.books.key,
      settleWindowMs: SETTLE_WINDOW_MS,
    })
    await postOpeningBalance(stage.orm.em.fork(), connection, OPENING_CENTS)
    if (isNotified)
      account.sendNotificationsTo(`${stage.local.api_url}/provider-notifications/${connection.uuid}`)
    return { account, providerAccountUuid: connection.providerAccountUuid, uuid: connection.uuid }
  }
  const odd = await connect(api)
  const connections = hasFallback ? [odd, await connect(api === 'efi' ? 'woovi' : 'efi')] : [odd]
  await replaceDefaultConnections(
    stage.orm.em.fork(),
    { accountUuid },
    connections.map(({ uuid }) => uuid),
  )
  const token = await stage.token({ accountUuid })
  return {
    accountUuid,
    connections,
    odd: odd.account,
    api: stage.api.withToken(token),
    /** Ends the reconciliations of the merchant, which make those of the others longer. */
    retire: () =>
      stage.sql(`update connection set status = 'CONFIGURATION_PENDING' where account_uuid = ?`, [
        accountUuid,
      ]),
  }
}

/** Whether this bank issued the payload for the charge; both banks know it by the same id. */
export function isPayloadOf(
  { api }: BankAccount,
  { reference }: { reference: string },
  payload: string,
): boolean {
  return payload.includes(`${PAYLOAD_HOSTS[api]}/${reference}`)
}
const PAYLOAD_HOSTS: Record<BankApiName, string> = { efi: 'pix.example', woovi: 'api.woovi.com' }

/** The account at one of the merchant's banks that issued a charge with this payload. */
export function findIssuer({ connections }: OddMerchant, payload: string) {
  for (const { account } of connections)
    for (const charge of account.books.charges.values())
      if (isPayloadOf(account, charge, payload)) return { account, charge }
}

export const createPixKey = (isRefused: boolean) =>
  `${isRefused ? 'recusada' : 'maria'}-${randomUUID().slice(0, 8)}@example.com`
export const allBooks = ({ connections }: { connections: { account: BankAccount }[] }) =>
  connections.map(({ account }) => account.books)
