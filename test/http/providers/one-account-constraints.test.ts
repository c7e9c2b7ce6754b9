import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type BankFixture, LIVE, openBankFixture, type Way } from '../support/bank-fixture.ts'

/** PostgreSQL refuses by itself what would mix modes, owners or accounts at banks. */

let fixture: BankFixture
let { x, y, sql, openBankAccount, connect } = {} as BankFixture
type Place = { provider_account_uuid: string; connection_uuid: string; account_uuid: string }
let live: Place
let simulated: Place

async function place(change: Partial<Way> = {}): Promise<Place> {
  const name = randomUUID()
  expect(await connect(openBankAccount(), { ...LIVE, owner: x, name, ...change })).toBeNull()
  const [row] = await sql<Place>(
    `select p.uuid as provider_account_uuid, c.uuid as connection_uuid, c.account_uuid
       from provider_account p join connection c on c.provider_account_uuid = p.uuid where p.name = ?`,
    [name],
  )
  return row!
}
beforeAll(async () => {
  fixture = await openBankFixture()
  ;({ x, y, sql, openBankAccount, connect } = fixture)
  live = await place()
  simulated = await place({ isSimulated: true })
})

afterAll(() => fixture?.close())

const copyConnection = (changes: Record<string, string>) => {
  const columns = [
    ...['account_uuid', 'provider_account_uuid', 'provider', 'dialect', 'type', 'status', 'is_simulated'],
    ...['base_url', 'sealed_credentials', 'secret_key_id', 'fees'],
  ]
  return `insert into connection (uuid, ${columns.join(', ')})
      select gen_random_uuid(), ${columns.map(column => changes[column] ?? column).join(', ')} from connection where uuid = ?`
}

test.each<[what: string, constraint: string, statement: () => [string, unknown[]]]>([
  [
    'a simulated connection to a live account',
    'connection_mode',
    () => [copyConnection({ is_simulated: 'true' }), [live.connection_uuid]],
  ],
  [
    'that a connection becomes live',
    'connection_mode',
    () => ['update connection set is_simulated = false where uuid = ?', [simulated.connection_uuid]],
  ],
  [
    'that an account becomes simulated',
    'connection_mode',
    () => ['update provider_account set is_simulated = true where uuid = ?', [live.provider_account_uuid]],
  ],
  [
    'a connection by another provider',
    'connection_mode',
    () => [copyConnection({ provider: `'PROVIDER_C'` }), [live.connection_uuid]],
  ],
  [
    'another merchant’s connection in its own name',
    'connection_owner',
    () => [copyConnection({ account_uuid: `'${y}'` }), [live.connection_uuid]],
  ],
  [
    'that the owner changes under a connection',
    'connection_owner',
    () => ['update provider_account set owner_uuid = ? where uuid = ?', [y, live.provider_account_uuid]],
  ],
  [
    'a second account of one identity',
    'provider_account_identity_once',
    () => [
      `insert into provider_account_identity (dialect, hash, provider_account_uuid)
         select dialect, hash, ? from provider_account_identity where provider_account_uuid = ?`,
      [simulated.provider_account_uuid, live.provider_account_uuid],
    ],
  ],
  [
    'a movement through a connection to another account',
    'movement_connection',
    () => [
      `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
           status, created_at, updated_at)
         values (gen_random_uuid(), ?, ?, ?, 'EXTERNAL_TRANSFER', 'IN', 100, 'PENDING', now(), now())`,
      [x, live.provider_account_uuid, simulated.connection_uuid],
    ],
  ],
  [
    'a posting at another account than its movement',
    'another provider account than its movement',
    () => [
      `insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents)
         select uuid, account_uuid, ?, type, 'available', 100, 100 from movement where provider_account_uuid = ?`,
      [live.provider_account_uuid, simulated.provider_account_uuid],
    ],
  ],
  [
    'a charge through a connection to another account',
    'charge_connection',
    () => [
      `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents,
           payment_uuid, expires_in_seconds, request_id, fingerprint, created_at, updated_at)
         values (gen_random_uuid(), ?, ?, ?, 'issuing', 100, 100, gen_random_uuid(), 3600, 'r', 'f', now(), now())`,
      [x, live.connection_uuid, simulated.provider_account_uuid],
    ],
  ],
  [
    'a transfer through a connection to another account',
    'transfer_connection',
    () => [
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
           request_id, fingerprint, created_at, updated_at)
         values (gen_random_uuid(), ?, ?, ?, 'created', 100, 'maria@example.com', 'r', 'f', now(), now())`,
      [x, live.connection_uuid, simulated.provider_account_uuid],
    ],
  ],
])('%s', async (_, constraint, statement) => {
  await expect(sql(...statement())).rejects.toThrow(constraint)
})
