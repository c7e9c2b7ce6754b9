import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { receiptRoutes } from '../../../src/api/receipts/routes.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import {
  computeReceiptEnd,
  formatAuthentication,
  writeReceiptFacts,
} from '../../../src/domain/receipts/receipt.ts'
import type { ProviderRegistry } from '../../../src/providers/registry.ts'
import { createSealer } from '../../../src/security/sealing.ts'
import { readPdfText } from '../../support/pdf-text.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'
import { bookingSql, VIRTUAL_ACCOUNT } from '../support/row-inserters.ts'

/** Receipts of settled money: JSON, PDF, and what a stranger learns who checks one. */

const SETTLED_AT = '2026-11-30T23:30:00.000Z'
const MARIA = {
  name: 'Maria da Silva Souza',
  document: '52998224725',
  account_number: '123456',
  account_agency: '0001',
  bank: { code: '260', name: 'NU PAGAMENTOS S.A.', ispb: '18236120' },
  account_type: 'PAYMENT',
}

type MovementRow = {
  type?: 'EXTERNAL_TRANSFER' | 'EXTERNAL_REFUND'
  movementType: 'IN' | 'OUT'
  cents: number
  status?: 'PENDING' | 'SETTLED'
  endToEnd: string
  originalUuid?: string
  settledAt?: string
}

/** What the bank answers about the receipt of a PIX. */
const bank = { answer: async (_pix: object): Promise<object> => ({ kind: 'not_found' }) }

let fixture: ApiFixture
let account: string
let connection: string
let token: string
let charge: string
let transfer: string
let refund: string
let sent: string
/** An account with a user, in test mode. */
let ours: Awaited<ReturnType<typeof createFullAccount>>

const sql = <Row extends object>(statement: string, values: unknown[] = []): Promise<Row[]> =>
  fixture.orm.em.fork().execute(statement, values)

async function insertMovement({
  type = 'EXTERNAL_TRANSFER',
  movementType,
  cents,
  status = 'SETTLED',
  endToEnd,
  originalUuid,
  settledAt = SETTLED_AT,
}: MovementRow): Promise<string> {
  const uuid = randomUUID()
  const isSettled = status === 'SETTLED'
  const parties = [VIRTUAL_ACCOUNT, MARIA].map(one => JSON.stringify(one))
  await sql(
    `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents, status,
         end_to_end, pix_key, sender, receiver, original_uuid, reason, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, ?, ?, ?, ?, ?, 'maria@example.com', ?, ?, ?, ?, ?, now(), now()
       from connection where uuid = ? returning *
     ) ${isSettled ? bookingSql() : 'select'}`,
    [
      ...[uuid, type, movementType, cents, status, endToEnd],
      ...(movementType === 'OUT' ? parties : parties.toReversed()),
      ...[originalUuid ?? null, originalUuid ? 'panel_return' : null],
      ...[isSettled ? settledAt : null, connection],
    ],
  )
  return uuid
}

async function insertCharge(movement: string, cents: number): Promise<string> {
  const uuid = randomUUID()
  await sql(
    `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents, received_cents,
       payload, movement_uuid, payment_uuid, expires_in_seconds, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, 'paid', ?, ?, ?, 'p', ?, ?, 3600, 'r', 'f', now(), now()
     from connection where uuid = ?`,
    [uuid, cents, cents, cents, movement, randomUUID(), connection],
  )
  return uuid
}

async function insertTransfer(state: string, movement: string, cents: number): Promise<string> {
  const uuid = randomUUID()
  await sql(
    `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key, movement_uuid,
       settled_at, request_id, fingerprint, created_at, updated_at)
     select ?, k.account_uuid, k.uuid, k.provider_account_uuid, ?, ?, 'maria@example.com', m.uuid, m.settled_at, 'r', 'f', now(), now()
     from connection k, movement m where k.uuid = ? and m.uuid = ?`,
    [uuid, state, cents, connection, movement],
  )
  return uuid
}

async function insertRefund(state: string, movement: string, cents: number): Promise<string> {
  const uuid = randomUUID()
  const received = await insertMovement({
    movementType: 'IN',
    cents: 5_000,
    endToEnd: `E${uuid.slice(0, 30)}`,
  })
  const paid = await insertCharge(received, 5_000)
  const isSettled = state === 'settled'
  await sql(
    `with returned as (update charge set state = ?, refunding_cents = ?, refunded_cents = ? where uuid = ? returning *)
     insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, movement_uuid,
       request_id, fingerprint, created_at, updated_at)
     select ?, uuid, account_uuid, connection_uuid, provider_account_uuid, ?, ?, ?, 'r', 'f', now(), now() from returned`,
    [
      ...[isSettled ? 'partially_refunded' : 'refunding', isSettled ? 0 : cents, isSettled ? cents : 0, paid],
      ...[uuid, state, cents, movement],
    ],
  )
  return `${paid}/refunds/${uuid}`
}

beforeAll(async () => {
  const providers = { providerFor: () => ({ findReceipt: async (pix: object) => bank.answer(pix) }) }
  fixture = await openApiFixture([receiptRoutes, dashboardRoutes], {}, undefined, {
    providers: providers as unknown as ProviderRegistry,
  })
  ours = await createFullAccount(fixture)
  account = await fixture.insertAccount()
  connection = await fixture.insertConnection(account, { isSimulated: false })
  token = await fixture.insertToken({ accountUuid: account, mode: 'live' })
  const received = await insertMovement({ movementType: 'IN', cents: 15_000, endToEnd: 'E-payment' })
  charge = await insertCharge(received, 15_000)
  sent = await insertMovement({ movementType: 'OUT', cents: 2_590, endToEnd: 'E-transfer' })
  transfer = await insertTransfer('paid', sent, 2_590)
  const back = await insertMovement({
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
    cents: 700,
    endToEnd: 'D-refund',
    originalUuid: received,
  })
  refund = await insertRefund('settled', back, 700)
})
afterAll(() => fixture?.close())

const get = (path: string, options: { token?: string } = { token }) =>
  fixture.call('GET', `/api/v1${path}`, options)
const readReceipt = async (path: string) => {
  const { status, body } = await get(path)
  expect(status).toBe(200)
  return body.data
}
const check = (code: string) => get(`/receipts/${code}`, {})

/** Members that are new each time that a receipt is read. */
const SHARED_ANYWHERE = { share_url: '', shared_until: '' }

/** Downloads a PDF with its bytes, which `call` reads as a text. */
async function download(path: string): Promise<Buffer> {
  const answer = await fetch(`${fixture.server.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  return Buffer.from(await answer.arrayBuffer())
}

describe('a receipt', () => {
  test('of a payment says what settled, and what went back since', async () => {
    const receipt = await readReceipt(`/payments/${charge}/receipt`)
    expect(receipt).toMatchObject({
      kind: 'PAYMENT',
      uuid: charge,
      official: false,
      mode: 'live',
      pix: { value: 150, movement_type: 'IN', status: 'SETTLED', end_to_end: 'E-payment' },
      returned_value: 7,
      returns: [{ value: 7, end_to_end: 'D-refund', settled_at: '2026-11-30T23:30:00.000000Z' }],
      check_url: `${fixture.config.publicUrl}/receipts/${receipt.authentication}`,
      checkable_until: '2031-11-30T23:30:00.000000Z',
    })
    expect(receipt.pix.initiation.sender).toEqual(MARIA)
    expect(receipt.original_end_to_end).toBeUndefined()
  })

  test('of a transfer masks its receiver, who is no customer of the account', async () => {
    const { kind, pix, returns, returned_value } = await readReceipt(`/transfers/${transfer}/receipt`)
    expect([kind, pix.value, returned_value, returns]).toEqual(['TRANSFER', 25.9, 0, []])
    expect(pix.initiation.sender.document).toBe('11222333000181')
    expect(pix.initiation.receiver).toMatchObject({
      name: MARIA.name,
      document: '***982247**',
      account_number: '****56',
    })
  })

  test('of a refund names the PIX that it gives back', async () => {
    const receipt = await readReceipt(`/payments/${refund}/receipt`)
    expect(receipt).toMatchObject({ kind: 'REFUND', uuid: refund.split('/')[2], pix: { value: 7 } })
    expect(receipt.original_end_to_end).toMatch(/^E[0-9a-f-]{30}$/)
  })

  test('gets a line for what the receiver sends back later, and keeps its code', async () => {
    const movement = await insertMovement({ movementType: 'OUT', cents: 900, endToEnd: 'E-returned' })
    const path = `/transfers/${await insertTransfer('paid', movement, 900)}/receipt`
    const before = await readReceipt(path)
    for (const [cents, settledAt] of [
      [300, '2026-12-02T12:00:00.000Z'],
      [100, '2026-12-01T12:00:00.000Z'],
    ] as const)
      await insertMovement({
        type: 'EXTERNAL_REFUND',
        movementType: 'IN',
        cents,
        settledAt,
        endToEnd: `D-${cents}`,
        originalUuid: movement,
      })
    await insertMovement({
      type: 'EXTERNAL_REFUND',
      movementType: 'IN',
      cents: 50,
      status: 'PENDING',
      endToEnd: 'D-pending',
      originalUuid: movement,
    })
    const { returned_value, returns, ...after } = await readReceipt(path)
    expect([returned_value, returns.map((one: { value: number }) => one.value)]).toEqual([4, [1, 3]])
    const otherwise = { returned_value: 0, returns: [], ...SHARED_ANYWHERE }
    expect({ ...after, ...otherwise }).toEqual({ ...before, ...otherwise })
    expect((await check(before.authentication)).body.data.returned_value).toBe(4)
    const text = await readPdfText(await download(`${path}.pdf`))
    expect(text).toMatch(/Devolvido depois[\s\S]*D-100[\s\S]*D-300[\s\S]*Total devolvido\s+R\$\s4,00/)
  })

  test('of money that has not settled is not ready', async () => {
    const pending = await insertMovement({
      movementType: 'OUT',
      cents: 100,
      status: 'PENDING',
      endToEnd: 'E-p',
    })
    const back = await insertMovement({
      type: 'EXTERNAL_REFUND',
      movementType: 'OUT',
      cents: 100,
      status: 'PENDING',
      endToEnd: 'D-p',
      originalUuid: sent,
    })
    for (const path of [
      `/payments/${await fixture.insertCharge(connection)}`,
      `/transfers/${await fixture.insertTransfer(connection)}`,
      `/transfers/${await insertTransfer('settling', pending, 100)}`,
      `/payments/${await insertRefund('settling', back, 100)}`,
    ])
      for (const file of ['receipt', 'receipt.pdf']) {
        const { status, body } = await get(`${path}/${file}`)
        expect([path, status, body.code]).toEqual([path, 409, 'receipt_not_ready'])
      }
  })

  test('is of those who may read the operation', async () => {
    const stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount(), mode: 'live' })
    const testToken = await fixture.insertToken({ accountUuid: account })
    const [ofCharges, ofReads] = [
      await fixture.insertToken({ accountUuid: account, mode: 'live', scopes: ['charges'] }),
      await fixture.insertToken({ accountUuid: account, mode: 'live', scopes: ['read'] }),
    ]
    const [, , refundUuid] = refund.split('/')
    expect((await get(`/payments/${charge}/refunds/${refundUuid}/receipt`)).status).toBe(404)
    for (const file of ['receipt', 'receipt.pdf'])
      for (const [path, token, status] of [
        [`/payments/${charge}`, stranger, 404],
        [`/payments/${charge}`, testToken, 404],
        [`/transfers/${charge}`, ofReads, 404],
        [`/payments/${charge}`, ofCharges, 200],
        [`/payments/${charge}`, ofReads, 200],
        [`/transfers/${transfer}`, ofCharges, 403],
        [`/transfers/${transfer}`, stranger, 404],
        [`/payments/${refund}`, ofCharges, 403],
        [`/payments/${refund}`, ofReads, 200],
      ] as const)
        expect([path, file, (await get(`${path}/${file}`, { token })).status]).toEqual([path, file, status])
  })
})

describe('its PDF', () => {
  test('says what the receipt says, in both languages, and that no bank has issued it', async () => {
    const path = `/transfers/${transfer}/receipt`
    const { authentication, check_url } = await readReceipt(path)
    for (const [query, words] of [
      [
        '',
        ['Comprovante de transferência Pix', '30/11/2026, 20:30:00', 'Não é o comprovante oficial do banco'],
      ],
      [
        '?language=en',
        ['PIX transfer receipt', '30/11/2026, 20:30:00', "It is not the bank's official receipt"],
      ],
    ] as const) {
      const text = await readPdfText(await download(`${path}.pdf${query}`))
      for (const word of [...words, 'Maria da Silva Souza', '***982247**', 'E-transfer', transfer])
        expect(text).toContain(word)
      expect(text).toMatch(/R\$\s?25[.,]90/)
      expect(text).not.toContain('52998224725')
      // Long texts are broken over lines.
      expect(text.replaceAll(/\s/g, '')).toContain(authentication)
      expect(text.replaceAll(/\s/g, '')).toContain(check_url)
    }
    expect((await get(`${path}.pdf?language=fr`)).status).toBe(422)
  })

  test('has the same bytes each time, its own font, no script, and at most 200 kB', async () => {
    for (const path of [`/payments/${charge}`, `/transfers/${transfer}`, `/payments/${refund}`]) {
      const [first, again] = [await download(`${path}/receipt.pdf`), await download(`${path}/receipt.pdf`)]
      expect(again.equals(first)).toBe(true)
      expect(first.byteLength).toBeLessThanOrEqual(200_000)
      // Without the contents of streams, whose compressed bytes may be anything.
      const file = first.toString('latin1').replaceAll(/stream\n[\s\S]*?endstream/g, '')
      expect(file).toMatch(/\/FontFile2 /)
      expect(file).not.toMatch(
        /\/BaseFont \/(Helvetica|Times|Courier)|\/(JavaScript|JS|OpenAction|AA|Launch)\b/,
      )
    }
  })

  test('stays small and names the newest returns where there are many', async () => {
    const movement = await insertMovement({ movementType: 'OUT', cents: 10_000, endToEnd: 'E-many' })
    const uuid = await insertTransfer('paid', movement, 10_000)
    await sql(
      `with made as (
         insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents, status,
           end_to_end, original_uuid, settled_at, created_at, updated_at)
         select gen_random_uuid(), account_uuid, provider_account_uuid, uuid, 'EXTERNAL_REFUND', 'IN', 1, 'SETTLED',
           'D-many-' || number, ?, ?::timestamptz + number * interval '1 second', now(), now()
         from connection, generate_series(1, 150) as number where connection.uuid = ? returning *
       ) ${bookingSql()}`,
      [movement, SETTLED_AT, connection],
    )
    const { returned_value, returns } = await readReceipt(`/transfers/${uuid}/receipt`)
    expect([returned_value, returns.length, returns[0].end_to_end, returns.at(-1).end_to_end]).toEqual([
      ...[1.5, 50, 'D-many-101', 'D-many-150'],
    ])
    expect((await download(`/transfers/${uuid}/receipt.pdf`)).byteLength).toBeLessThanOrEqual(200_000)
  })
})

describe('its bank', () => {
  const silence = bank.answer
  afterEach(() => {
    bank.answer = silence
  })
  const bankPdf = Buffer.from('%PDF-1.4\n%\xff of the bank\n%%EOF\n', 'latin1')
  const issued = async () => ({ kind: 'found', pdf: bankPdf })

  test('issues the PDF where it has one, which the share and the check do not show', async () => {
    const asked: object[] = []
    bank.answer = async pix => {
      asked.push(pix)
      return issued()
    }
    for (const path of [`/payments/${charge}`, `/transfers/${transfer}`, `/payments/${refund}`]) {
      const { official, issuer, share_url } = await readReceipt(`${path}/receipt`)
      expect([official, issuer]).toEqual([true, VIRTUAL_ACCOUNT.bank.name])
      expect((await download(`${path}/receipt.pdf?language=en`)).equals(bankPdf)).toBe(true)
      const count = asked.length
      const shared = await fetch(fixture.server.url + new URL(share_url).pathname)
      expect(await readPdfText(Buffer.from(await shared.arrayBuffer()))).toContain('comprovante oficial')
      expect(asked.length).toBe(count)
    }
    expect(asked.filter((_, index) => index % 2 === 0)).toEqual([
      { kind: 'PAYMENT', endToEnd: 'E-payment' },
      { kind: 'TRANSFER', endToEnd: 'E-transfer' },
      { kind: 'REFUND', endToEnd: 'D-refund' },
    ])
  })

  test('issues the file of the dashboard too', async () => {
    const email = `${randomUUID()}@trilho.test`
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: account })
    const merchant = createBrowser(fixture, { language: 'en' })
    await merchant.signIn(email, PASSWORD)
    bank.answer = issued
    const file = await merchant.get(`/dashboard/charges/${charge}/receipt.pdf`)
    expect([file.status, file.text.includes('of the bank')]).toEqual([200, true])
  })

  const unanswered = { kind: 'no_answer', code: 'unreadable_answer', message: '' }
  test.each([
    ['has none yet', async () => ({ kind: 'not_found' })],
    ['answers with a broken one or not at all', async () => unanswered],
    ['does not answer in time', () => new Promise<object>(() => {})],
  ])('that %s leaves it to this service', async (_, answer) => {
    bank.answer = answer
    expect(await readReceipt(`/transfers/${transfer}/receipt`)).toMatchObject({
      official: false,
      issuer: null,
    })
    const text = await readPdfText(await download(`/transfers/${transfer}/receipt.pdf`))
    expect(text).toContain('Não é o comprovante oficial do banco')
  })

  test('is not asked about a person whose data was erased, nor where it issues none', async () => {
    bank.answer = issued
    const movement = await insertMovement({ movementType: 'OUT', cents: 300, endToEnd: 'E-erased' })
    const uuid = await insertTransfer('paid', movement, 300)
    const readOfficial = async () => (await readReceipt(`/transfers/${uuid}/receipt`)).official
    expect(await readOfficial()).toBe(true)
    const setDialect = (dialect: string) =>
      sql('update connection set dialect = ? where uuid = ?', [dialect, connection])
    await setDialect('sicoob')
    expect(await readOfficial()).toBe(false)
    await setDialect('efi')
    await sql(`update movement set receiver = receiver || '{"name":"[erased]"}' where uuid = ?`, [movement])
    expect(await readOfficial()).toBe(false)
  })
})

describe('its shared address', () => {
  const share = async (path: string) => {
    const { share_url, shared_until } = await readReceipt(path)
    return { path: new URL(share_url).pathname, until: new Date(shared_until) }
  }
  const open = (path: string, language = 'en') => createBrowser(fixture, { language }).get(path)

  test('opens the PDF without a session for 24 hours, in the language of the reader', async () => {
    for (const receipt of [`/payments/${charge}`, `/transfers/${transfer}`, `/payments/${refund}`]) {
      const startedAtMs = Date.now()
      const shared = await share(`${receipt}/receipt`)
      expect(shared.until.getTime()).toBeGreaterThanOrEqual(startedAtMs + 86_400_000)
      expect(shared.until.getTime()).toBeLessThanOrEqual(Date.now() + 86_400_000)
      const { status, headers } = await open(shared.path)
      expect([status, headers.get('content-type'), headers.get('referrer-policy')]).toEqual([
        ...[200, 'application/pdf', 'no-referrer'],
      ])
      const answer = await fetch(`${fixture.server.url}${shared.path}`, {
        headers: { 'accept-language': 'en' },
      })
      const own = await download(`${receipt}/receipt.pdf?language=en`)
      expect(Buffer.from(await answer.arrayBuffer()).equals(own)).toBe(true)
    }
  })

  test('ends on the moment, is only that of its receipt, and hides what it is of', async () => {
    const { sealer } = fixture.dependencies
    const codeOf = (content: object) => `/receipts/shared/${sealer.seal(content)}`
    const content = {
      sharedReceipt: 'TRANSFER',
      uuid: transfer,
      accountUuid: account,
      untilMs: Date.now() + 60_000,
    }
    expect((await open(codeOf(content))).status).toBe(200)
    const genuine = (await share(`/transfers/${transfer}/receipt`)).path
    expect(genuine).not.toContain(transfer)
    const foreign = createSealer(`a:${Buffer.alloc(32, 8).toString('base64')}`)
    for (const [what, path] of [
      ['over', codeOf({ ...content, untilMs: Date.now() - 1 })],
      ['of another account', codeOf({ ...content, accountUuid: ours.account })],
      ['of another kind', codeOf({ ...content, sharedReceipt: 'PAYMENT' })],
      ['sealed for something else', codeOf({ client_id: 'a' })],
      ['sealed by another key', `/receipts/shared/${foreign.seal(content)}`],
      ['altered', `${genuine.slice(0, -2)}${genuine.endsWith('AA') ? 'BB' : 'AA'}`],
      ['none', '/receipts/shared/x'],
    ] as const) {
      const { status, text } = await open(path)
      expect([what, status, text.includes('%PDF')]).toEqual([what, 404, false])
    }
  })
})

describe('its check', () => {
  const factsOf = (uuid: string, settledAt = new Date(SETTLED_AT)) => ({
    uuid,
    accountUuid: account,
    movementType: 'OUT' as const,
    valueCents: 2_590,
    settledAt,
  })
  const codeOf = (facts: ReturnType<typeof factsOf>, sealer = fixture.dependencies.sealer) =>
    formatAuthentication(facts.uuid, sealer.mac(writeReceiptFacts(facts)))

  test('tells value, day and initials to whoever has the code, and nothing else', async () => {
    const { authentication } = await readReceipt(`/transfers/${transfer}/receipt`)
    expect(authentication).toBe(codeOf(factsOf(sent)))
    const { status, body } = await check(authentication)
    expect([status, body]).toEqual([
      200,
      {
        data: {
          mode: 'live',
          value: 25.9,
          // Of Brasília, where it is still the evening.
          day: '2026-11-30',
          sender: 'L.',
          receiver: 'M. S. S.',
          returned_value: 0,
        },
      },
    ])
  })

  test('refuses a code that is forged, altered, of another movement or of another key', async () => {
    const pending = await insertMovement({
      movementType: 'OUT',
      cents: 2_590,
      status: 'PENDING',
      endToEnd: 'E-forged',
    })
    const code = codeOf(factsOf(sent))
    const other = codeOf(factsOf(randomUUID()))
    const foreign = createSealer(`a:${Buffer.alloc(32, 8).toString('base64')}`)
    for (const forged of [
      codeOf(factsOf(sent), foreign),
      codeOf(factsOf(pending)),
      other,
      code.slice(0, 33) + other.slice(33),
      code.replace('.a.', '.b.'),
      `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`,
      'x',
    ]) {
      const { status, body } = await check(forged)
      expect([forged, status, body.code]).toEqual([forged, 404, 'not_found'])
    }
  })

  test('refuses a code that is too old, on the moment', async () => {
    const settledAt = new Date()
    settledAt.setUTCFullYear(settledAt.getUTCFullYear() - 5)
    const [over, last] = [-60_000, 3_600_000].map(ms => new Date(settledAt.getTime() + ms))
    expect(computeReceiptEnd(over!).getTime()).toBeLessThan(Date.now())
    for (const [at, status] of [
      [over!, 404],
      [last!, 200],
    ] as const) {
      const uuid = await insertMovement({
        movementType: 'OUT',
        cents: 2_590,
        endToEnd: `E-${status}`,
        settledAt: at.toISOString(),
      })
      expect((await check(codeOf(factsOf(uuid, at)))).status).toBe(status)
    }
  })

  test('of money that never moved says so', async () => {
    const merchant = createBrowser(fixture)
    await merchant.signIn(ours.email, PASSWORD)
    const file = await merchant.get(`/dashboard/charges/${ours.charge}/receipt.pdf`)
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="comprovante-[\w-]*-teste\.pdf"$/,
    )
    const api = await fixture.insertToken({ accountUuid: ours.account })
    const { body } = await get(`/payments/${ours.charge}/receipt`, { token: api })
    expect(body.data.mode).toBe('test')
    expect((await check(body.data.authentication)).body.data.mode).toBe('test')
    const { status, text } = await createBrowser(fixture).get(`/receipts/${body.data.authentication}`)
    expect([status, text.includes('Comprovante de teste: nenhum dinheiro foi movimentado.')]).toEqual([
      200,
      true,
    ])
    expect(text).not.toContain('<script>alert')
  })
})

describe('its pages', () => {
  test('link to the file where the money has settled, which is that of the API', async () => {
    const merchant = createBrowser(fixture, { language: 'en' })
    await merchant.signIn(ours.email, PASSWORD)
    const path = `/dashboard/charges/${ours.charge}`
    expect((await merchant.get(path)).text).toContain(`href="${path}/receipt.pdf"`)
    for (const noun of ['charges', 'transfers'] as const) {
      const without = `/dashboard/${noun}/${noun === 'charges' ? ours.open : ours.transfer}`
      expect((await merchant.get(without)).text).not.toContain('receipt.pdf')
      expect((await merchant.get(`${without}/receipt.pdf`)).status).toBe(409)
    }
    const refundPath = `/dashboard/refunds/${ours.refund}`
    expect((await merchant.get(refundPath)).text).toContain(`href="${refundPath}/receipt.pdf"`)
    const api = await fixture.insertToken({ accountUuid: ours.account })
    const page = await merchant.get(`${path}/receipt`)
    expect(page.text).toContain(`href="${path}/receipt.pdf"`)
    const [shared] = /\/receipts\/shared\/[\w.-]+/.exec(page.text) ?? []
    expect((await createBrowser(fixture).get(shared!)).status).toBe(200)
    const [shown, downloaded] = [
      await merchant.get(`${path}/receipt.pdf`),
      await get(`/payments/${ours.charge}/receipt.pdf?language=en`, { token: api }),
    ]
    expect([shown.status, shown.text === downloaded.text]).toEqual([200, true])
  })

  test('let anybody compare, in both languages, and hide the address from others', async () => {
    const { authentication } = await readReceipt(`/transfers/${transfer}/receipt`)
    for (const [language, title, means] of [
      ['pt-BR', 'O comprovante é autêntico', 'não é o comprovante oficial de um banco'],
      ['en', 'The receipt is genuine', 'is not the official receipt of a bank'],
    ] as const) {
      const { status, headers, text } = await createBrowser(fixture, { language }).get(
        `/receipts/${authentication}`,
      )
      expect([status, headers.get('referrer-policy'), headers.get('x-robots-tag')]).toEqual([
        ...[200, 'no-referrer', 'noindex, nofollow'],
      ])
      for (const word of [title, means, 'M. S. S.', '30/11/2026']) expect(text).toContain(word)
      expect(text).toMatch(/R\$\s?25[.,]90/)
      for (const secret of ['Maria', '982247', 'E-transfer', transfer]) expect(text).not.toContain(secret)
    }
    const forged = await createBrowser(fixture).get(`/receipts/${authentication.slice(0, -1)}`)
    expect([forged.status, forged.text.includes('Nenhum comprovante neste endereço')]).toEqual([404, true])
  })

  test('and the API limit guesses', async () => {
    for (const path of ['/receipts/x', '/api/v1/receipts/x']) {
      let answer = await fixture.call('GET', path)
      for (let count = 0; answer.status === 404 && count < 60; count++)
        answer = await fixture.call('GET', path)
      expect([path, answer.status, answer.headers.has('retry-after')]).toEqual([path, 429, true])
    }
  })
})
