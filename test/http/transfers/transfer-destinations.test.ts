import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { PartyType } from '../../../src/db/entities/party.ts'
import { identifyReceiver, toDestinationColumns } from '../../../src/domain/transfers/transfer-destination.ts'
import { accountDestination, BANK_ACCOUNT, keyDestination } from '../../support/transfer-destinations.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** PostgreSQL holds that a transfer has one destination, and derives the receiver that limits and guard count by. */

let fixture: ApiFixture
let connection: string
beforeAll(async () => {
  fixture = await openApiFixture([])
  connection = await fixture.insertConnection(await fixture.insertAccount())
})
afterAll(() => fixture?.close())

type Columns = { pixKey: string | null; bankAccount: string | null; document: string | null }

async function insert({ pixKey, bankAccount, document }: Columns): Promise<string> {
  const [row] = (await fixture.orm.em.fork().execute(
    `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key, bank_account,
       document, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, 'created', 100, ?, ?::jsonb, ?, 'r', 'f', now(), now()
     from connection where uuid = ? returning receiver_id`,
    [randomUUID(), pixKey, bankAccount, document, connection],
  )) as [{ receiver_id: string }]
  return row.receiver_id
}

const stored = new PartyType()
const columnsOf = (destination: ReturnType<typeof keyDestination>): Columns => {
  const { bankAccount, ...columns } = toDestinationColumns(destination)
  return { ...columns, bankAccount: stored.convertToDatabaseValue(bankAccount) }
}

test.each([
  ['a key', keyDestination('maria@example.com')],
  ['a key with a document', keyDestination('maria@example.com', '52998224725')],
  ['an account', accountDestination()],
  ['an account with leading zeros', accountDestination({ account_number: '00098', account_agency: '0100' })],
  [
    'an account of an institution without a COMPE code',
    accountDestination({ bank: { code: '', name: '', ispb: '4ABCD678' } }),
  ],
])('the receiver of %s is derived as the code derives it', async (_, destination) => {
  expect(await insert(columnsOf(destination))).toBe(identifyReceiver(destination))
})

const account = stored.convertToDatabaseValue(BANK_ACCOUNT)
test.each<[string, Columns, string]>([
  ['no destination', { pixKey: null, bankAccount: null, document: null }, 'receiver_id'],
  [
    'two destinations',
    { pixKey: 'maria@example.com', bankAccount: account, document: BANK_ACCOUNT.document },
    'transfer_destination',
  ],
  [
    'an account of another document',
    { pixKey: null, bankAccount: account, document: '11144477735' },
    'transfer_bank_account',
  ],
  [
    'an account without its document',
    { pixKey: null, bankAccount: account, document: null },
    'transfer_bank_account',
  ],
  [
    'an account without a number',
    {
      pixKey: null,
      bankAccount: stored.convertToDatabaseValue({ ...BANK_ACCOUNT, account_number: '' }),
      document: BANK_ACCOUNT.document,
    },
    'receiver_id',
  ],
  [
    'an account without a holder',
    {
      pixKey: null,
      bankAccount: stored.convertToDatabaseValue({ ...BANK_ACCOUNT, name: '' }),
      document: BANK_ACCOUNT.document,
    },
    'transfer_bank_account',
  ],
])('a transfer with %s is refused', async (_, columns, named) => {
  await expect(insert(columns)).rejects.toThrow(named)
})
