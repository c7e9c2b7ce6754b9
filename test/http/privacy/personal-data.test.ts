import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { erasePerson, eraseUser, exportPerson, exportUser } from '../../../src/admin/privacy.ts'
import { addUser } from '../../../src/admin/users.ts'
import { RETENTION, type TableName, type TableRetention } from '../../../src/db/retention.ts'
import { ERASED_TEXT } from '../../../src/domain/privacy/erasure.ts'
import { insertRecurrence } from '../support/recurrences.ts'
import { openReportFixture } from '../support/report-fixture.ts'
import { bookingSql } from '../support/row-inserters.ts'

/** A copy and the erasure of one person's data, over all that an account has of the person (docs/retention.md). */

const DOCUMENT = '52998224725'
const NAME = 'Maria Quitéria de Jesus'
const EMAIL = 'maria.quiteria@example.com'
const MARIA = JSON.stringify({
  name: NAME,
  document: '529.982.247-25',
  account_number: '77777-1',
  account_agency: '0301',
  bank: { code: '001', name: 'BANCO DO BRASIL', ispb: '00000000' },
  account_type: 'CHECKING',
})
const OTHER = JSON.stringify({ name: 'João', document: '11144477735' })
/** What must be nowhere after an erasure. */
const TRACES = ['Quitéria', 'quiteria', DOCUMENT, '529.982.247-25', '77777-1', 'Rua da Aurora']
const ORDER = { actor: 'ana', reason: 'request 17' }

let fixture: Awaited<ReturnType<typeof openReportFixture>>
let account: string
let connection: string
beforeAll(async () => {
  fixture = await openReportFixture([])
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  account = await fixture.insertAccount()
  connection = await fixture.insertConnection(account)
})

const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  fixture.orm.em.fork().execute<Row[]>(text, values)
const HOUR_MS = 3_600_000
const erase = (accountUuid: string | null = account, before = new Date(Date.now() + HOUR_MS)) => {
  const { sealer, storage } = fixture.activities
  return erasePerson(
    fixture.orm.em.fork(),
    { sealer, storage },
    { ...ORDER, document: DOCUMENT, accountUuid, before },
  )
}
const exportAll = () =>
  exportPerson(fixture.orm.em.fork(), fixture.activities.sealer, {
    ...ORDER,
    document: DOCUMENT,
    accountUuid: account,
  })

type ChargeRow = { state?: string; isRestricted?: boolean }
/** A charge that the person is to pay. */
async function insertCharge({ state = 'pending', isRestricted = false }: ChargeRow = {}): Promise<string> {
  const uuid = randomUUID()
  await sql(
    `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents, debtor_name,
       debtor_document, debtor_email, debtor_address, is_sender_verified, message, additional_info, external_ref, metadata,
       payment_uuid, payload, txid, expires_in_seconds, expires_at, history, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, ?, 1000, 1000, ?, ?, ?, ?, ?, ?, ?, 'pedido-1', '{"order": "1"}', ?, 'payload', ?,
       3600, now() + interval '1 hour', '[]', 'r', 'f', now(), now() from connection where uuid = ?`,
    [
      ...[uuid, state, NAME, DOCUMENT, EMAIL, JSON.stringify({ street: 'Rua da Aurora' }), isRestricted],
      ...[`Para ${NAME}`, JSON.stringify([{ name: 'aluna', value: NAME }]), randomUUID()],
      ...[uuid.replaceAll('-', ''), connection],
    ],
  )
  return uuid
}

type MovementRow = { direction: 'IN' | 'OUT'; party: string; columns?: Record<string, unknown> }
async function insertMovement({ direction, party, columns = {} }: MovementRow): Promise<string> {
  const uuid = randomUUID()
  const names = Object.keys(columns)
  await sql(
    `with made as (insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
       status, end_to_end, sender, receiver, settled_at, created_at, updated_at${names.map(name => `, ${name}`).join('')})
     select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', ?, 1000, 'SETTLED', ?, ?, ?, now(), now(), now()
       ${names.map(() => ', ?').join('')} from connection where uuid = ? returning *) ${bookingSql()}`,
    [
      ...[uuid, direction, `E${uuid.replaceAll('-', '').slice(0, 31)}`],
      ...[direction === 'IN' ? party : OTHER, direction === 'IN' ? OTHER : party],
      ...[...Object.values(columns), connection],
    ],
  )
  return uuid
}

async function insertPaidCharge(party = MARIA): Promise<{ charge: string; movement: string }> {
  const charge = await insertCharge({ isRestricted: party === MARIA })
  const movement = await insertMovement({ direction: 'IN', party, columns: { charge_uuid: charge } })
  await sql(
    `update charge set state = 'paid', movement_uuid = ?, paid_at = now(), received_cents = 1000 where uuid = ?`,
    [movement, charge],
  )
  return { charge, movement }
}

async function insertPaidTransfer(): Promise<string> {
  const uuid = randomUUID()
  await sql(
    `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key, document, lookup,
       receiver, accepted, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, 'settling', 1000, ?, ?, ?, ?, ?, 'r', 'f', now(), now()
     from connection where uuid = ?`,
    [
      ...[uuid, EMAIL, DOCUMENT],
      JSON.stringify({
        uuid: randomUUID(),
        onMismatch: 'WARN',
        owner: { name: NAME, document: DOCUMENT },
        providerAccountUuid: randomUUID(),
        expiresAt: '2026-01-01T00:00:00.000Z',
      }),
      ...[
        MARIA,
        JSON.stringify({ uuid, pix_key: EMAIL, receiver: JSON.parse(MARIA), value: 10 }),
        connection,
      ],
    ],
  )
  const movement = await insertMovement({
    direction: 'OUT',
    party: MARIA,
    columns: { transfer_uuid: uuid, pix_key: EMAIL },
  })
  await sql(`update transfer set state = 'paid', movement_uuid = ?, settled_at = now() where uuid = ?`, [
    movement,
    uuid,
  ])
  return uuid
}

/** Everything that an account may have of one person; all of it has ended. */
async function insertPerson() {
  const { charge, movement } = await insertPaidCharge()
  await insertCharge({ state: 'expired' })
  const refund = randomUUID()
  await sql(
    `insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, description,
       failure, request_id, fingerprint, created_at, updated_at)
     select ?, ?, account_uuid, uuid, provider_account_uuid, 'failed', 300, ?, ?, 'r', 'f', now(), now() from connection where uuid = ?`,
    [
      refund,
      charge,
      `Devolução a ${NAME}`,
      JSON.stringify({ code: 'rejected', message: `conta de ${NAME}` }),
      connection,
    ],
  )
  const dispute = randomUUID()
  await sql(
    `insert into dispute (uuid, account_uuid, connection_uuid, provider_account_uuid, provider_dispute_id, kind, dispute_type, state,
       end_to_end, movement_uuid, charge_uuid, value_cents, opened_at, due_at, details, provider_analysis, accept, analysis,
       replied_at, reply_state, request_id, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, ?, 'RECEIVED_MED', 'SCAM', 'rejected', 'E1', ?, ?, 1000, now(), now(),
       ?, ?, false, ?, now(), 'sent', 'r', now(), now() from connection where uuid = ?`,
    [
      ...[
        dispute,
        dispute,
        movement,
        charge,
        `${NAME} diz`,
        `CPF ${DOCUMENT}`,
        `${NAME} recebeu`,
        connection,
      ],
    ],
  )
  const attachment = `attachments/${randomUUID()}.pdf`
  const path = join(fixture.files, '..', 'proof.pdf')
  await writeFile(path, NAME)
  await fixture.activities.storage.writeFile(attachment, { path, type: 'application/pdf', sizeBytes: 10 })
  await sql(
    `insert into attachment (uuid, dispute_uuid, reply, position, name, content_type, bytes, storage_key, created_at)
     values (gen_random_uuid(), ?, 1, 0, ?, 'application/pdf', 10, ?, now())`,
    [dispute, `${NAME}.pdf`, attachment],
  )
  const transfer = await insertPaidTransfer()
  await sql(
    `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state, refused_by, message,
       provider_message, created_at, updated_at)
     select gen_random_uuid(), 'transfer', ?, uuid, provider_account_uuid, 0, 'rejected', 'provider', ?, ?, now(), now()
     from connection where uuid = ?`,
    [transfer, `refused for ${EMAIL}`, `chave ${EMAIL}`, connection],
  )
  await sql(
    `with ordered as (
       insert into transfer_batch (uuid, account_uuid, is_simulated, candidates, state, mode, on_short_balance, item_count, value_cents,
         request_id, fingerprint, created_at, updated_at)
       values (gen_random_uuid(), ?, true, array[?]::uuid[], 'completed', 'EACH', 'FAIL', 1, 1000, 'r', 'f', now(), now()) returning uuid
     ) insert into transfer_batch_item (batch_uuid, line, transfer_uuid, state, value_cents, external_ref, description, details)
     select uuid, 1, ?, 'started', 1000, 'ref-1', ?, ?::jsonb from ordered`,
    [
      ...[account, connection, transfer, `Salário de ${NAME}`],
      JSON.stringify({ destination: { kind: 'key', pixKey: EMAIL, document: DOCUMENT } }),
    ],
  )
  await sql(
    `insert into key_lookup (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, shown_key, outcome, receiver,
       transfer_uuid, request_id, created_at, updated_at, expires_at)
     select gen_random_uuid(), account_uuid, uuid, provider_account_uuid, true, 'EMAIL', 'm***', 'found', '{"name": "Maria Q."}', ?, 'r',
       now() - interval '10 minutes', now(), now() from connection where uuid = ?`,
    [transfer, connection],
  )
  const recurrence = await insertRecurrence(
    { sql, account, connection },
    { state: 'cancelled', journey: 'REQUEST', payer: NAME },
  )
  await sql('update recurrence set sealed_payer_account = ?, debtor_address = ? where uuid = ?', [
    fixture.activities.sealer.seal({ account_number: '77777-1' }),
    JSON.stringify({ street: 'Rua da Aurora' }),
    recurrence,
  ])
  const webhook = randomUUID()
  await sql(
    `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
     values (?, ?, 'https://shop.example', 's', 'm', '{PAYMENT}', 'f', now())`,
    [webhook, account],
  )
  const event = randomUUID()
  await sql(
    `insert into event (uuid, account_uuid, connection_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
     values (?, ?, ?, 'PAYMENT', ?, 1, ?, ?, 'r', now())`,
    [
      ...[event, account, connection, charge],
      JSON.stringify({
        uuid: charge,
        value: 10,
        debtor: { name: NAME, document: DOCUMENT, email: EMAIL, address: { street: 'Rua da Aurora' } },
        message: `Para ${NAME}`,
        payment: { pix: { sender: JSON.parse(MARIA) } },
      }),
      charge,
    ],
  )
  await sql(
    `insert into delivery (uuid, webhook_uuid, event_uuid, event_type, status, created_at, updated_at, sweep_at)
     values (gen_random_uuid(), ?, ?, 'PAYMENT', 'DELIVERED', now(), now(), null)`,
    [webhook, event],
  )
  await sql(
    `insert into provider_notification (uuid, connection_uuid, kind, end_to_end, body, request_id, routed_at, outcome)
     select gen_random_uuid(), connection_uuid, 'payment', end_to_end, ?, 'r', now(), 'routed' from movement where uuid = ?`,
    [`{"pagador":{"nome":"${NAME}","cpf":"${DOCUMENT}"}}`, movement],
  )
  return { charge, movement, refund, dispute, attachment, transfer, recurrence, event }
}

/** Rows of every table of an account's operations, without the columns that hold personal data. */
async function readFacts(): Promise<Record<string, unknown[]>> {
  const facts: Record<string, unknown[]> = {}
  for (const table of [
    'charge',
    'movement',
    'posting',
    'transfer',
    'refund',
    'dispute',
    'recurrence',
    'event',
  ] as const) {
    const { personal = [] }: TableRetention = RETENTION[table]
    const rows = await sql<{ row: unknown }>(
      `select to_jsonb(t) - ?::text[] as row from ${table} t where account_uuid = ? order by to_jsonb(t) ->> 'uuid'`,
      [`{${personal}}`, account],
    )
    facts[table] = rows.map(({ row }) => row)
  }
  return facts
}

/** The tables in which a trace of the person is left. */
async function findTraces(): Promise<string[]> {
  const found: string[] = []
  for (const table of Object.keys(RETENTION) as TableName[])
    for (const trace of TRACES) {
      const rows = await sql(`select from ${table} t where to_jsonb(t)::text like '%' || ? || '%' limit 1`, [
        trace,
      ])
      if (rows.length > 0) found.push(`${table}: ${trace}`)
    }
  return found
}

describe('the erasure of a payer and receiver', () => {
  test('removes every trace of the person and changes no fact', async () => {
    const person = await insertPerson()
    const other = await insertPaidCharge(OTHER)
    await sql('alter table charge disable trigger charge_payer_fixed')
    await sql(
      `update charge set debtor_name = 'João', debtor_document = '11144477735', debtor_email = null, debtor_address = null, message = null,
         additional_info = '[]' where uuid = ?`,
      [other.charge],
    )
    await sql('alter table charge enable trigger charge_payer_fixed')
    const facts = await readFacts()
    expect((await findTraces()).length).toBeGreaterThan(15)

    const { pseudonym, erased, kept } = await erase()
    expect(await findTraces()).toEqual([])
    expect(await readFacts()).toEqual(facts)
    expect(pseudonym).toMatch(/^#[0-9A-Za-z]{10}$/)
    expect(erased).toEqual({
      charge: 2,
      movement: 2,
      transfer: 1,
      'transfer.accepted': 1,
      recurrence: 1,
      refund: 1,
      dispute: 1,
      attachment: 1,
      attempt: 1,
      event: 1,
      transfer_batch_item: 1,
      key_lookup: 1,
      provider_notification: 1,
    })
    expect(kept.join()).toMatch(/amounts/)
    expect(await fixture.activities.storage.openFile(person.attachment)).toBeNull()
    const [stored] = await sql<{ body: unknown }>('select body from event where uuid = ?', [person.event])
    expect(stored!.body).toMatchObject({
      value: 10,
      debtor: { name: ERASED_TEXT, document: pseudonym, email: ERASED_TEXT },
      payment: { pix: { sender: { name: ERASED_TEXT, bank: { name: 'BANCO DO BRASIL' } } } },
    })
    const [left] = await sql('select debtor_name, debtor_document from charge where uuid = ?', [other.charge])
    expect(left).toEqual({ debtor_name: 'João', debtor_document: '11144477735' })
    const acts = await sql(`select actor, subject, reason from operator_action where action = 'erase_person'`)
    expect(acts).toContainEqual({ actor: 'ana', subject: `person/${pseudonym}`, reason: 'request 17' })

    expect((await erase()).erased).toEqual({})
  })

  test('leaves the operations of other accounts, where one is named', async () => {
    await insertPaidCharge()
    const elsewhere = await fixture.insertAccount()
    expect((await erase(elsewhere)).erased).toEqual({})
    expect((await erase()).erased).toMatchObject({ charge: 1, movement: 1 })
  })

  test('leaves whole what moved money since the given moment, and erases what moved none', async () => {
    const { charge, movement } = await insertPaidCharge()
    const transfer = await insertPaidTransfer()
    const readPaid = () =>
      sql(
        `select to_jsonb(c) as row from charge c where uuid = ? union all select to_jsonb(m) from movement m where account_uuid = ?
         union all select to_jsonb(t) from transfer t where uuid = ? order by 1`,
        [charge, account, transfer],
      )
    const paid = await readPaid()
    const expired = await insertCharge({ state: 'expired' })
    expect((await erase(account, new Date(Date.now() - HOUR_MS))).erased).toEqual({ charge: 1 })
    expect(await readPaid()).toEqual(paid)
    const [left] = await sql('select debtor_name from charge where uuid = ?', [expired])
    expect(left).toEqual({ debtor_name: ERASED_TEXT })
    const kept = (await exportAll()).map(({ row }) => row.uuid)
    expect(kept).toEqual(expect.arrayContaining([charge, movement, transfer]))
    expect((await erase()).erased).toMatchObject({ charge: 1, movement: 2, transfer: 1 })
    expect(await findTraces()).toEqual([])
  })

  test('is refused while something runs, by its name, and changes nothing', async () => {
    const charge = await insertCharge()
    await insertPaidCharge()
    const facts = await findTraces()
    await expect(erase()).rejects.toThrow(`still running: charge ${charge}. Nothing was done`)
    expect(await findTraces()).toEqual(facts)
    await sql(`update charge set state = 'cancelled' where uuid = ?`, [charge])
    expect((await erase()).erased).toMatchObject({ charge: 2 })
  })

  test('is refused while a delivery of an event is open', async () => {
    await insertPerson()
    await sql(`update delivery set status = 'PENDING'`)
    await expect(erase()).rejects.toThrow(/still running: delivery [\da-f-]{36}\./)
    await sql(`update delivery set status = 'DELIVERED'`)
    await erase()
  })

  test('is final: what a provider reports later of the same PIX does not bring the person back', async () => {
    const { movement } = await insertPaidCharge()
    await erase()
    await sql('update movement set sender = ? where uuid = ?', [MARIA, movement])
    expect(await findTraces()).toEqual([])
  })
})

describe('PostgreSQL', () => {
  test.each([
    ['another document', 'paid', '11144477735'],
    ['an erased document while it can be paid', 'pending', '#abcdefghij'],
  ])('refuses %s as the debtor of a charge', async (_, state, document) => {
    const uuid = state === 'paid' ? (await insertPaidCharge()).charge : await insertCharge()
    await expect(
      sql('update charge set debtor_document = ? where uuid = ?', [document, uuid]),
    ).rejects.toThrow('charge_payer_fixed')
    await sql(`update charge set state = 'cancelled' where uuid = ? and state = 'pending'`, [uuid])
  })

  test('refuses a PIX with an erased payer as the payment of a charge that only some may pay', async () => {
    const charge = await insertCharge({ isRestricted: true })
    const party = JSON.stringify({ document: '#abcdefghij' })
    const movement = await insertMovement({ direction: 'IN', party, columns: { charge_uuid: charge } })
    await expect(
      sql(
        `update charge set state = 'paid', movement_uuid = ?, paid_at = now(), received_cents = 1000 where uuid = ?`,
        [movement, charge],
      ),
    ).rejects.toThrow('the payer of a charge is not the one it allows')
    await sql(`update charge set state = 'cancelled' where uuid = ?`, [charge])
  })
})

describe('the copy of a person’s data', () => {
  test('has all rows about the person, with what is sealed, and is recorded without a name', async () => {
    const person = await insertPerson()
    const records = await exportAll()
    const uuidsOf = (table: string) => records.filter(one => one.table === table).map(({ row }) => row.uuid)
    expect(uuidsOf('charge')).toContain(person.charge)
    for (const table of ['movement', 'refund', 'dispute', 'transfer', 'recurrence', 'event'] as const)
      expect(uuidsOf(table)).toContain(person[table])
    expect(records.find(({ table }) => table === 'recurrence')!.row.payer_account).toEqual({
      account_number: '77777-1',
    })
    const [act] = await sql<{ subject: string }>(
      `select subject, reason from operator_action where action = 'export_person' order by at desc limit 1`,
    )
    expect(act!.subject).toMatch(/^person\/#[0-9A-Za-z]{10}$/)
    await erase()
    expect(await exportAll()).toEqual([])
  })
})

describe('a user of the dashboard', () => {
  const email = () => `${randomUUID()}@padaria.example`
  async function insertUser(address: string): Promise<string> {
    const order = { email: address, password: 'a long enough password', accountUuid: account, name: NAME }
    const { uuid } = await addUser(fixture.orm.em.fork(), { ...order, role: 'viewer' })
    await sql(
      `insert into dashboard_session (hash, user_uuid, password_digest, csrf, user_agent, network, expires_at)
       values (sha256(?::bytea), ?, sha256('p'::bytea), 'c', 'Firefox', '203.0.113.7', now() + interval '1 hour')`,
      [uuid, uuid],
    )
    await sql(
      `insert into token (uuid, account_uuid, name, author, mode, prefix, hash) values (gen_random_uuid(), ?, 'till', ?, 'test',
         'trl_test_x', sha256(?::bytea))`,
      [account, address, address],
    )
    return uuid
  }
  const eraseBy = (address: string) => eraseUser(fixture.orm.em.fork(), { ...ORDER, email: address })

  test('is erased once removed, and the row stays for what it ordered', async () => {
    const address = email()
    const uuid = await insertUser(address)
    await expect(eraseBy(address)).rejects.toThrow('can still sign in')
    await sql('update app_user set removed_at = now() where uuid = ?', [uuid])
    const result = await eraseBy(address)
    expect(result).toMatchObject({ user_uuid: uuid, erased: { app_user: 1, dashboard_session: 1, token: 1 } })
    const [user] = await sql('select email, name, last_sign_in_at from app_user where uuid = ?', [uuid])
    expect(user).toEqual({ email: `${uuid}@erased.invalid`, name: null, last_sign_in_at: null })
    expect(await sql('select from token where author = ?', [address])).toEqual([])
    await expect(eraseBy(address)).rejects.toThrow('there is no user')
  })

  test('is refused while an order of the user waits for approvals', async () => {
    const address = email()
    const uuid = await insertUser(address)
    await sql('update app_user set removed_at = now() where uuid = ?', [uuid])
    const subject = randomUUID()
    await sql(
      `insert into approval_request (subject_uuid, subject, account_uuid, maker, needed, requested_at, expires_at)
       values (?, 'transfer', ?, ?, 1, now(), now() + interval '1 day')`,
      [subject, account, address],
    )
    await expect(eraseBy(address)).rejects.toThrow(`still running: transfer ${subject}`)
  })

  test('gets a copy with sessions, tokens and acts, without secrets', async () => {
    const address = email()
    const uuid = await insertUser(address)
    const records = await exportUser(fixture.orm.em.fork(), { ...ORDER, email: address })
    expect(records.map(({ table }) => table)).toEqual(['app_user', 'dashboard_session', 'token'])
    expect(records[0]!.row).toMatchObject({ uuid, email: address, name: NAME })
    expect(JSON.stringify(records)).not.toMatch(/argon2|csrf|password|"hash"/)
    expect(await exportUser(fixture.orm.em.fork(), { ...ORDER, email: email() })).toEqual([])
  })
})
