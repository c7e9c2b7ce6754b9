import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { deriveOperationUuid, fingerprintRequest } from '../../../src/api/operations/idempotency.ts'
import { chargeRecurrenceBody } from '../../../src/contract/recurrences/recurrence.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import { computeDueDay } from '../../../src/domain/recurrences/cycles.ts'
import { computeBrasiliaDay } from '../../../src/domain/shared/brasilia-day.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, unescapeHtml } from '../support/browser.ts'
import { createDueTerms, insertDueCharge } from '../support/due-charge.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'
import { insertDebit, insertRecurrence } from '../support/recurrences.ts'
import { createSilentClient } from '../support/silent-temporal.ts'

/** Recurrences on the merchant's pages, and their debits on the pages of charges. */

const LIST = '/dashboard/recurrences'
const today = computeBrasiliaDay(new Date())
const startsOn = addDays(today, -32)
const dueDayOf = (cycle: number) => computeDueDay({ frequency: 'MONTHLY', startsOn }, cycle)
const dateOf = (day: string) => day.split('-').reverse().join('/')

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
let viewer: ReturnType<typeof createBrowser>
let recurrence: string
let manual: string
let waiting: string
let debit: string
let expiredDebit: string
let calls: string[] = []
/** What was sent with the last call. */
let lastSent = ''

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes], {}, async () =>
    createSilentClient(async (name, sent) => {
      calls.push(name)
      lastSent = sent
    }),
  )
  ours = await createFullAccount(fixture)
  recurrence = await insertRecurrence(ours, { payer: 'Ana Souza', contract: 'PLANO-42' })
  manual = await insertRecurrence(ours, { payer: 'Bia Lima', contract: 'PLANO-43', valueCents: null })
  waiting = await insertRecurrence(ours, { payer: 'Caio Reis', contract: 'PLANO-44', state: 'pending' })
  expiredDebit = await insertDebit(ours, {
    recurrence,
    cycle: 1,
    debitOn: dueDayOf(1),
    state: 'expired',
    tries: [{ on: dueDayOf(1), kind: 'FIRST', status: 'REJECTED', code: 'ZZ99', endToEnd: null }],
  })
  debit = await insertDebit(ours, {
    recurrence,
    cycle: 2,
    debitOn: dueDayOf(2),
    tries: [{ on: dueDayOf(2), kind: 'FIRST', status: 'REJECTED', code: 'AM02', endToEnd: null }],
  })
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
  const order = { email: 'viewer@recurrences.test', password: PASSWORD, accountUuid: ours.account }
  await addUser(fixture.orm.em.fork(), { ...order, role: 'viewer' })
  viewer = createBrowser(fixture)
  await viewer.signIn(order.email, PASSWORD)
})
afterAll(() => fixture?.close())
beforeEach(() => {
  calls = []
})

/** Reads the order that was sent last: its uuid, and the fingerprint of its request. */
function readLastOrder() {
  const [, uuid] = /"uuid":"([\da-f-]{36})"/.exec(lastSent)!
  const [, details] = /"details":"([^"]+)"/.exec(lastSent)!
  const { fingerprint } = fixture.dependencies.sealer.open<{ fingerprint: string }>(details!)
  return { uuid: uuid!, fingerprint }
}

const plain = (text: string) => unescapeHtml(text).replaceAll('\u00a0', ' ')
const read = async (path: string, browser = merchant) => {
  const { status, text } = await browser.get(path)
  expect([path, status]).toEqual([path, 200])
  return plain(text)
}
const rowsOf = (text: string) => [
  ...text.matchAll(/<tr><th scope="row" class="text"><a id="([\da-f-]{36})"[\s\S]*?<\/tr>/g),
]
const uuidsOf = (text: string) => rowsOf(text).map(([, uuid]) => uuid!)
const sorted = (uuids: string[]) => uuids.toSorted()
const wrongFieldsOf = (text: string) =>
  [...text.matchAll(/id="in-([\w.-]+)-wrong"/g)].map(([, name]) => name).toSorted()

describe('the list', () => {
  test('shows payer, value, frequency, next charge, status and what is past due', async () => {
    const text = await read(`${LIST}?mode=test`)
    const [row] = rowsOf(text).find(([, uuid]) => uuid === recurrence)!
    for (const part of ['Ana Souza', 'R$ 49,90', 'Todo mês', dateOf(dueDayOf(3)), 'Autorizada', 'Em atraso'])
      expect(row).toContain(part)
    const [variable] = rowsOf(text).find(([, uuid]) => uuid === manual)!
    expect(variable).toContain('Valor variável')
    expect(variable).not.toContain('Em atraso')
  })

  test.each<[string, string, () => string[]]>([
    ['Aguardando o pagador', 'status=PENDING,PROCESSING', () => [waiting]],
    ['Ativas', 'status=ACTIVE', () => [ours.recurrence, manual, recurrence]],
    ['Em atraso', 'is_past_due=true', () => [recurrence]],
  ])('has the tab %s with as many rows as it says', async (name, query, found) => {
    const all = await read(`${LIST}?mode=test`)
    const [, href, count] = new RegExp(
      `<a href="([^"]+)">${name} <span class="figure">(\\d+)</span></a>`,
    ).exec(all)!
    expect([href, count]).toEqual([
      `${LIST}?mode=test&${query.replaceAll(',', '%2C')}`,
      String(found().length),
    ])
    const text = await read(href!)
    expect(sorted(uuidsOf(text))).toEqual(sorted(found()))
    expect(text).toContain(`aria-current="page">${name} `)
    expect(text).not.toContain('class="chips"')
  })

  test('is sorted by value, and has a file of its rows', async () => {
    const other = await insertRecurrence(ours, { valueCents: 9_900, state: 'cancelled', payer: 'Davi Melo' })
    const uuids = uuidsOf(await read(`${LIST}?mode=test&sort=value`))
    expect(uuids.indexOf(recurrence)).toBeLessThan(uuids.indexOf(other))
    const { text } = await merchant.get(`${LIST}/recurrences.csv?mode=test&is_past_due=true`)
    const [head, ...rows] = text.trim().split('\r\n')
    expect(head).toContain('Próxima cobrança')
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatch(/sim;49,90;[\s\S]*Todo mês[\s\S]*Ana Souza[\s\S]*PLANO-42/)
  })

  test('the search finds a recurrence by its uuid, its contract and its payer', async () => {
    for (const text of [recurrence, 'plano-42', 'ana souza'])
      expect(await read(`/dashboard/search?mode=test&q=${encodeURIComponent(text)}`)).toContain(
        `href="${LIST}/${recurrence}"`,
      )
  })
})

describe('the page of a recurrence', () => {
  test.each<[string, object, string]>([
    ['is being created', { state: 'creating' }, 'está sendo criada no provedor'],
    ['waits for its code to be read', { state: 'pending' }, 'Falta o pagador ler o código'],
    [
      'has a request under way',
      { state: 'pending', journey: 'REQUEST' },
      'está sendo enviada ao banco do pagador',
    ],
    ['is with the payer', { state: 'processing' }, 'Falta o pagador autorizar'],
    ['is charged by itself', {}, `A cobrança que vence em ${dateOf(dueDayOf(3))} é criada em`],
    ['is charged by hand', { generate: 'MANUAL' }, 'Crie cada cobrança de 2 a 10 dias antes'],
  ])('of one that %s says what is waited for', async (_, stored, explanation) => {
    const uuid = await insertRecurrence(ours, stored)
    expect(await read(`${LIST}/${uuid}`)).toContain(explanation)
  })

  test('shows its code only while the payer can authorize it', async () => {
    expect(await read(`${LIST}/${waiting}`)).toContain(`src="${LIST}/${waiting}/qr.svg"`)
    expect((await merchant.get(`${LIST}/${waiting}/qr.svg`)).status).toBe(200)
    expect(await read(`${LIST}/${recurrence}`)).not.toContain('qr.svg')
    const request = await insertRecurrence(ours, { state: 'pending', journey: 'REQUEST' })
    expect(await read(`${LIST}/${request}`)).not.toContain('qr.svg')
    expect((await merchant.get(`${LIST}/${request}/qr.svg`)).status).toBe(404)
  })

  test('links to its first charge, and says in words why it was cancelled by itself', async () => {
    const firstCharge = await insertDueCharge(ours, createDueTerms())
    const uuid = await insertRecurrence(ours, { state: 'cancelled', firstCharge })
    const request = await insertRecurrence(ours, { state: 'cancelled', journey: 'REQUEST' })
    for (const [code, of] of [
      ['first_charge_not_paid', uuid],
      ['request_expired', request],
    ])
      await ours.sql('update recurrence set reason_code = ? where uuid = ?', [code, of])
    const text = await read(`${LIST}/${uuid}`)
    expect(text).toContain(`href="/dashboard/charges/${firstCharge}"`)
    expect(text).toContain('A primeira cobrança não foi paga. <code>first_charge_not_paid</code>')
    expect(await read(`${LIST}/${request}`)).toContain('A solicitação não pôde ser enviada')
  })

  test('has a row for each cycle, with its charge and its tries in words', async () => {
    await ours.sql(`update recurrence set skipped_cycles = ? where uuid = ?`, [
      JSON.stringify([{ cycle: 7, dueOn: dueDayOf(7), at: new Date().toISOString() }]),
      recurrence,
    ])
    const text = await read(`${LIST}/${recurrence}`)
    const table = text.slice(text.indexOf('<h2>Ciclos'), text.indexOf('class="related"'))
    const rows = [...table.matchAll(/<tr><th scope="row">([\s\S]*?)<\/tr>/g)].map(([row]) => row)
    expect(rows.map(row => /<th scope="row">(?:<a [^>]*>)?(\d+)/.exec(row)?.[1])).toEqual([
      '7',
      '3',
      '2',
      '1',
    ])
    expect(rows[0]).toContain('Não foi criada a tempo')
    expect(rows[1]).toContain('Será criada em')
    expect(rows[2]).toContain(`href="/dashboard/charges/${debit}"`)
    expect(rows[2]).toContain(`${dateOf(dueDayOf(2))} · no vencimento`)
    expect(rows[2]).toContain('O valor passa do limite que o pagador escolheu. <code>AM02</code>')
    expect(rows[2]).toContain(`href="/dashboard/charges/${debit}#acts"`)
    // A code that no table lists is shown as it is.
    expect(rows[3]).toContain('<code>ZZ99</code>')
    expect(rows[3]).not.toContain('#acts')
  })

  test('is cancelled after a confirmation that names the payer', async () => {
    const asked = await merchant.send(`${LIST}/${recurrence}/cancel`, {}, { on: `${LIST}/${recurrence}` })
    expect([asked.status, calls]).toEqual([200, []])
    expect(asked.text).toContain('Cancelar a assinatura de Ana Souza?')
    const { status } = await merchant.confirm(
      `${LIST}/${recurrence}/cancel`,
      {},
      { on: `${LIST}/${recurrence}` },
    )
    expect([status, calls.length > 0]).toEqual([503, true])
  })

  test('offers no act to a role that may not create charges', async () => {
    for (const path of [`${LIST}/${manual}`, `/dashboard/charges/${debit}`])
      expect(await read(path, viewer)).not.toContain('id="acts"')
    expect((await viewer.get(`${LIST}/new`)).status).toBe(403)
  })
})

describe('the charge of a cycle by hand', () => {
  const path = () => `${LIST}/${manual}/charge`
  const form = (more: Record<string, string> = {}) => ({
    due_on: addDays(today, 5),
    value: '12,50',
    once: randomUUID(),
    ...more,
  })

  test('is ordered after a confirmation that names payer, amount and day', async () => {
    const asked = await merchant.send(path(), form(), { on: `${LIST}/${manual}` })
    const text = plain(asked.text)
    expect([asked.status, calls]).toEqual([200, []])
    for (const part of ['Debitar R$ 12,50 de Bia Lima?', dateOf(addDays(today, 5)), '529.982.247-25'])
      expect(text).toContain(part)
    const { status } = await merchant.confirm(path(), form(), { on: `${LIST}/${manual}` })
    expect([status, calls.length > 0]).toEqual([503, true])
  })

  test.each<[string, Record<string, string>, string[]]>([
    ['a day that is too near', { due_on: addDays(today, 1) }, ['due_on']],
    ['no amount of one that varies', { value: '' }, ['value']],
    ['no day, and an amount that cannot be read', { due_on: '', value: '1,2,3' }, ['due_on', 'value']],
  ])('names the fields of %s before it asks', async (_, wrong, fields) => {
    const { status, text } = await merchant.send(path(), form(wrong), { on: `${LIST}/${manual}` })
    expect([status, calls, wrongFieldsOf(text)]).toEqual([422, [], fields])
  })

  test('that was ordered already is answered as it was, and asks nothing', async () => {
    const of = await insertRecurrence(ours, { generate: 'MANUAL', startsOn: addDays(today, 3) })
    const order = form({ due_on: addDays(today, 4), value: '' })
    const path = `/api/v1/recurrences/${of}/charges`
    const owner = { accountUuid: ours.account, mode: 'live' as const }
    const uuid = deriveOperationUuid({ owner, method: 'POST', path, key: `dashboard ${order.once}` })
    const body = chargeRecurrenceBody.parse({ due_on: order.due_on })
    const fingerprint = fingerprintRequest({ body, connectionUuid: null })
    const stored = { recurrence: of, cycle: 1, debitOn: order.due_on, state: 'pending' }
    await insertDebit(ours, { uuid, fingerprint, ...stored })
    const { status, headers } = await merchant.send(`${LIST}/${of}/charge`, order, { on: `${LIST}/${of}` })
    expect([status, headers.get('location'), calls]).toEqual([
      ...[303, `/dashboard/charges/${uuid}?done=debit_created`, []],
    ])
  })

  test('is refused for a cycle that has a charge', async () => {
    const of = await insertRecurrence(ours, { generate: 'MANUAL', startsOn: addDays(today, 3) })
    await insertDebit(ours, { recurrence: of, cycle: 1, debitOn: addDays(today, 3), state: 'pending' })
    const order = form({ due_on: addDays(today, 4), value: '' })
    const { status, text } = await merchant.send(`${LIST}/${of}/charge`, order, { on: `${LIST}/${of}` })
    expect([status, calls]).toEqual([409, []])
    expect(text).toContain('já tem uma cobrança')
  })
})

describe('the page of a debit', () => {
  test('shows its recurrence, cycle and tries, and nothing to be paid', async () => {
    const text = await read(`/dashboard/charges/${debit}`)
    expect(text).toContain(`href="${LIST}/${recurrence}"`)
    expect(text).toContain('<dt>Ciclo</dt><dd>2</dd>')
    expect(text).toContain('O valor passa do limite que o pagador escolheu. <code>AM02</code>')
    expect(text).toContain('O provedor registrou o débito para o vencimento.')
    for (const absent of ['qr.svg', '/counter', '/link"']) expect(text).not.toContain(absent)
    for (const part of ['qr.svg', 'counter'])
      expect((await merchant.get(`/dashboard/charges/${debit}/${part}`)).status).toBe(404)
  })

  test('explains the code of its last try where it has failed, and not that of the rail', async () => {
    const failed = await insertDebit(ours, {
      recurrence: await insertRecurrence(ours),
      cycle: 1,
      debitOn: startsOn,
      state: 'failed',
      failure: { code: 'AM09', message: 'refused', attempts: [] },
      tries: [{ on: startsOn, kind: 'FIRST', status: 'REJECTED', code: 'AM09', endToEnd: null }],
    })
    const text = await read(`/dashboard/charges/${failed}`)
    expect(text).toContain('<strong>O débito falhou</strong>')
    expect(text).toContain('O valor não é o da autorização. <code>AM09</code>')
  })

  test('is tried again on a day that it offers, after a confirmation', async () => {
    const page = `/dashboard/charges/${debit}`
    const days = [...(await read(page)).matchAll(/<option value="(\d{4}-\d\d-\d\d)"/g)].map(([, day]) => day!)
    expect(days.length).toBeGreaterThan(1)
    expect(days.every(day => day > today && day <= addDays(dueDayOf(2), 7))).toBe(true)
    const form = { on: days[0]!, once: randomUUID() }
    const asked = await merchant.send(`${page}/retry`, form, { on: page })
    expect([asked.status, calls]).toEqual([200, []])
    expect(plain(asked.text)).toContain(`Tentar debitar R$ 49,90 de novo em ${dateOf(days[0]!)}?`)
    const { status } = await merchant.confirm(`${page}/retry`, form, { on: page })
    expect([status, calls.length > 0]).toEqual([503, true])
    const wrong = await merchant.send(`${page}/retry`, { ...form, on: today }, { on: page })
    expect([wrong.status, wrongFieldsOf(wrong.text)]).toEqual([422, ['on']])
  })

  test('asks for a try once, however often its form is sent', async () => {
    const page = `/dashboard/charges/${debit}`
    const [on, otherDay] = [addDays(today, 1), addDays(today, 2)]
    const form = { on, once: randomUUID() }
    await merchant.confirm(`${page}/retry`, form, { on: page })
    const { uuid, fingerprint } = readLastOrder()
    await ours.sql(
      `insert into charge_revision (uuid, charge_uuid, number, status, value_cents, fee_cents, total_cents, retry_on, request_id,
         fingerprint, created_at, updated_at) values (?, ?, 1, 'revised', 4990, 0, 4990, ?, 'r', ?, now(), now())`,
      [uuid, debit, on, fingerprint],
    )
    const callCount = calls.length
    const again = await merchant.send(`${page}/retry`, form, { on: page })
    expect([again.status, again.headers.get('location'), calls.length]).toEqual([
      ...[303, `${page}?done=debit_retried`, callCount],
    ])
    const other = await merchant.send(`${page}/retry`, { ...form, on: otherDay }, { on: page })
    expect([other.status, calls.length]).toEqual([422, callCount])
  })

  test('of a debit that is over offers no further try', async () => {
    expect(await read(`/dashboard/charges/${expiredDebit}`)).not.toContain('id="retry"')
    const page = `/dashboard/charges/${expiredDebit}`
    const form = { on: addDays(today, 1), once: randomUUID() }
    const { status } = await merchant.send(`${page}/retry`, form, { on: page })
    expect([status, calls]).toEqual([409, []])
  })

  test('is found by its recurrence in the list of charges', async () => {
    const text = await read(`/dashboard/charges?mode=test&recurrence_uuid=${recurrence}`)
    const uuids = [...text.matchAll(/<tr><th scope="row"><a id="([\da-f-]{36})"/g)].map(([, uuid]) => uuid!)
    expect(sorted(uuids)).toEqual(sorted([debit, expiredDebit]))
  })
})

describe('the form of a new recurrence', () => {
  const form = (more: Record<string, string> = {}) => ({
    mode: 'test',
    value: '49,90',
    frequency: 'MONTHLY',
    starts_on: addDays(today, 10),
    ends_on: '',
    contract: 'PLANO-50',
    subject: 'Internet',
    'debtor.name': 'Ana Souza',
    'debtor.document': '529.982.247-25',
    retry_policy: 'THREE_IN_SEVEN_DAYS',
    journey: 'QR',
    days_before: '4',
    provider_uuid: ours.connection,
    once: randomUUID(),
    ...more,
  })
  const account = {
    'payer_account.ispb': '18236120',
    'payer_account.agency': '1',
    'payer_account.account': '123456',
  }

  test.each<[string, Record<string, string>]>([
    ['by a code', {}],
    ['by a request until a day', { journey: 'REQUEST', ...account, request_expires_at: addDays(today, 3) }],
    ['with texts of its own', { metadata: 'cliente: 7\r\nplano: ouro' }],
    ['of a value that varies, with a least limit', { value: '', minimum_value: '20', generate: 'MANUAL' }],
  ])('orders one %s', async (_, more) => {
    const { status } = await merchant.send(`${LIST}/new`, form(more))
    expect([status, calls.length > 0]).toEqual([503, true])
  })

  test.each<[string, Record<string, string>, string[]]>([
    [
      'a day that is over, and an end before it',
      { starts_on: startsOn, ends_on: addDays(startsOn, -1) },
      ['ends_on', 'starts_on'],
    ],
    ['no contract and no payer', { contract: '', 'debtor.name': '' }, ['contract', 'debtor.name']],
    [
      'half an account',
      { journey: 'REQUEST', ...account, 'payer_account.account': '' },
      ['payer_account.account'],
    ],
    ['a minimum beside a fixed value', { minimum_value: '10' }, ['minimum_value']],
    ['an amount that cannot be read', { value: '1,2,3' }, ['value']],
    ['days that are too few', { days_before: '1' }, ['days_before']],
    ['a text without a name', { metadata: 'ouro' }, ['metadata']],
  ])('names the fields of %s', async (_, wrong, fields) => {
    const { status, text } = await merchant.send(`${LIST}/new`, form(wrong))
    expect([status, calls, wrongFieldsOf(text)]).toEqual([422, [], fields])
    expect(text).toContain('value="Internet"')
  })

  test('that is sent again is answered by the recurrence, and with other values refused', async () => {
    const order = form()
    expect((await merchant.send(`${LIST}/new`, order)).status).toBe(503)
    const { uuid, fingerprint } = readLastOrder()
    await insertRecurrence(ours, { uuid, fingerprint, state: 'pending' })
    const callCount = calls.length
    const again = await merchant.send(`${LIST}/new`, order)
    expect([again.status, again.headers.get('location'), calls.length]).toEqual([
      ...[303, `${LIST}/${uuid}?done=recurrence_created`, callCount],
    ])
    const other = await merchant.send(`${LIST}/new`, { ...order, value: '50,00' })
    expect([other.status, calls.length]).toEqual([422, callCount])
    expect(other.text).toContain('Este formulário já foi enviado com outros dados')
  })

  test('asks for the account of the payer by whose bank the request goes', async () => {
    const { status, text } = await merchant.send(`${LIST}/new`, form({ journey: 'REQUEST' }))
    expect([status, calls]).toEqual([422, []])
    expect(text).toContain('<p class="note bad">é necessário na jornada REQUEST</p>')
  })
})
