import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { addDays, findBusinessDay } from '../../../src/domain/charges/business-days.ts'
import { findLastOverdueDay } from '../../../src/domain/charges/due-periods.ts'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'
import { computeBrasiliaDay } from '../../../src/domain/shared/brasilia-day.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf, unescapeHtml } from '../support/browser.ts'
import { createDueTerms, insertDueCharge } from '../support/due-charge.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'
import { bookingSql } from '../support/row-inserters.ts'
import { createSilentClient } from '../support/silent-temporal.ts'

/** Charges with a due date on the merchant's pages. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
/** Of a provider that issues and changes charges with percentages. */
let revising: string
let calls: string[] = []
/** What was sent with the last call. */
let lastSent = ''

const today = computeBrasiliaDay(new Date())
const dueDay = findBusinessDay(addDays(today, 20))
const longAgo = addDays(today, -5)

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes], {}, async () =>
    createSilentClient(async (name, sent) => {
      calls.push(name)
      lastSent = sent
    }),
  )
  ours = await createFullAccount(fixture)
  revising = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_D', dialect: 'efi' })
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
})
afterAll(() => fixture?.close())
beforeEach(() => {
  calls = []
})

const plain = (text: string) => text.replaceAll('\u00a0', ' ')
const dateOf = (day: string) => day.split('-').reverse().join('/')
const fieldValueOf = (text: string, name: string) =>
  new RegExp(`<input name="${name.replaceAll('.', '\\.')}" value="([^"]*)"`).exec(text)?.[1]

describe('the form of a new charge', () => {
  const on = '/dashboard/charges/new'
  const form = {
    value: '100,00',
    mode: 'test',
    expires_in: '86400',
    message: 'Mensalidade',
    'debtor.name': 'Ana Lima',
    'debtor.document': '52998224725',
    'due.on': dueDay,
    'due.payable_days_after': '30',
    'due.fine.value': '2',
    'due.fine.type': 'PERCENTAGE',
    'due.interest.value': '1,00',
    'due.interest.type': 'PERCENTAGE',
    'due.interest.per': 'MONTH',
    'due.interest.days': 'CALENDAR',
    'due.abatement.value': '',
    'due.abatement.type': 'FIXED',
    'due.discount.type': 'PERCENTAGE',
    'due.discount.until.0.value': '10,00',
    'due.discount.until.0.on': addDays(dueDay, -7),
    'due.discount.per_day.days': 'CALENDAR',
  }

  test('orders a charge with its due date', async () => {
    const { status } = await merchant.send(on, { ...form, provider_uuid: revising, once: randomUUID() })
    expect([status, calls.length > 0]).toEqual([503, true])
  })

  test('orders it with texts for the payer and texts of the merchant, one a line', async () => {
    const texts = {
      additional_info: 'Fatura: 42\r\n\r\nPeríodo : 01/12: 31/12\r\n',
      metadata: 'cliente: 7\r\nplano: ouro',
    }
    await merchant.send(on, { ...form, ...texts, provider_uuid: revising, once: randomUUID() })
    const [, details] = /"details":"([^"]+)"/.exec(lastSent) ?? []
    expect(fixture.dependencies.sealer.open(details!)).toMatchObject({
      additionalInfo: [
        { name: 'Fatura', value: '42' },
        { name: 'Período', value: '01/12: 31/12' },
      ],
      metadata: { cliente: '7', plano: 'ouro' },
    })
  })

  test('shows what the charge would cost on which day, and orders nothing', async () => {
    const { status, text } = await merchant.send(on, { ...form, preview: '1', once: randomUUID() })
    expect([status, calls]).toEqual([200, []])
    const shown = plain(text)
    for (const amount of ['R$ 90,00', 'R$ 100,00', 'R$ 102,03', 'R$ 102,07'])
      expect(shown).toContain(`data-label="Valor">${amount}</td>`)
    expect(shown).toContain('Multa: +R$ 2,00 · Juros: +R$ 0,03')
    expect(shown).toContain('Desconto: −R$ 10,00')
    expect(fieldValueOf(text, 'due.on')).toBe(dueDay)
  })

  test.each<[string, Record<string, string>, string[]]>([
    [
      'a due day that is over',
      { 'due.on': longAgo, 'due.discount.until.0.value': '', 'due.discount.until.0.on': '' },
      ['due.on'],
    ],
    ['a fine without a due day', { 'due.on': '' }, ['due.on']],
    [
      'more than 99.99 percent, and a discount after the due day',
      { 'due.fine.value': '100', 'due.discount.until.0.on': addDays(dueDay, 1) },
      ['due.fine.value', 'due.discount.until.0.on'],
    ],
    ['an amount that cannot be read', { 'due.interest.value': '1,2,3' }, ['due.interest.value']],
    ['a text without a name', { additional_info: 'Fatura 42' }, ['additional_info']],
    ['a name that is there twice', { metadata: 'cliente: 7\ncliente: 8' }, ['metadata']],
    [
      'half an address',
      {
        'debtor.address.street': 'Rua A',
        'debtor.address.state': 'sp',
        'debtor.address.zip_code': '01310-100',
      },
      ['debtor.address.city'],
    ],
  ])('names the field of %s', async (_name, wrong, fields) => {
    for (const more of [{}, { preview: '1' }] as Record<string, string>[]) {
      const { status, text } = await merchant.send(on, {
        ...form,
        provider_uuid: revising,
        ...wrong,
        ...more,
        once: randomUUID(),
      })
      expect([status, calls]).toEqual([422, []])
      const marked = [...text.matchAll(/id="in-([\w.-]+)-wrong"/g)].map(([, name]) => name)
      expect(marked.toSorted()).toEqual(fields.toSorted())
    }
  })

  test('names a discount of both kinds above the fields', async () => {
    const both = { ...form, 'due.discount.per_day.value': '0,10', once: randomUUID() }
    const { status, text } = await merchant.send(on, both)
    expect([status, calls]).toEqual([422, []])
    expect(text).toContain('<p class="note bad">ou desconto por dia é obrigatório, não os dois</p>')
  })

  test('needs a payer', async () => {
    const nobody = {
      ...form,
      'debtor.name': '',
      'debtor.document': '',
      provider_uuid: revising,
      once: randomUUID(),
    }
    const { status, text } = await merchant.send(on, nobody)
    expect([status, calls]).toEqual([422, []])
    expect(text).toContain('é necessário em uma cobrança com vencimento')
  })

  test('has no due date where nothing of it is filled in', async () => {
    const bare = Object.fromEntries(
      Object.entries(form).filter(([name]) => !/due\.(on|.*value|.*on$)/.test(name)),
    )
    const { status } = await merchant.send(on, { ...bare, once: randomUUID() })
    expect([status, calls.length > 0]).toEqual([503, true])
  })
})

describe('the page of a charge', () => {
  test('shows its terms, what it costs on which day, and a reminder', async () => {
    const due = createDueTerms({ on: dueDay })
    const uuid = await insertDueCharge(ours, due)
    const { text } = await merchant.get(`/dashboard/charges/${uuid}`)
    const shown = plain(text)
    expect(shown).toContain(`<dt>Vencimento</dt><dd class="text">${dateOf(dueDay)}</dd>`)
    expect(shown).toContain('<dt>Multa</dt><dd class="text">2%</dd>')
    expect(shown).toContain('<dt>Juros</dt><dd class="text">1% ao mês, dias corridos</dd>')
    expect(shown).toContain('<dt>Abatimento</dt><dd class="text">R$ 1,50</dd>')
    expect(shown).toContain('data-label="Valor">R$ 98,50</td>')
    expect(shown).toContain('É uma previsão')
    expect(shown).toContain(`vence em ${dateOf(dueDay)}`)
    expect(shown).toContain(`href="/dashboard/charges/${uuid}/change"`)
    expect(text).not.toContain('<script>alert')
  })

  test('says that it is overdue, with the amount of today', async () => {
    const on = findLastOverdueDay(addDays(today, -3))
    const uuid = await insertDueCharge(
      ours,
      createDueTerms({ on, interest: null, abatement: null, discount: null }),
    )
    const { text } = await merchant.get(`/dashboard/charges/${uuid}`)
    const shown = plain(text)
    expect(shown).toContain(`Vencida em ${dateOf(on)}`)
    expect(shown).toContain('Hoje ela custa R$ 102,00')
    const counter = await merchant.get(`/dashboard/charges/${uuid}/counter`)
    expect(plain(counter.text)).toContain('<p class="amount">R$ 102,00</p>')
  })

  test('shows what was paid, with its parts', async () => {
    const uuid = await insertDueCharge(ours, createDueTerms({ on: dueDay }))
    const movement = randomUUID()
    const parts = {
      originalCents: 10_000,
      fineCents: 200,
      interestCents: 33,
      discountCents: 0,
      abatementCents: 150,
    }
    await ours.sql(
      `with made as (insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, end_to_end, charge_uuid, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, connection_uuid, 'EXTERNAL_TRANSFER', 'IN', 10083, 'SETTLED', ?, uuid,
         now(), now(), now() from charge where uuid = ? returning *) ${bookingSql()}`,
      [movement, 'E1', uuid],
    )
    await ours.sql(
      `update charge set state = 'paid', movement_uuid = ?, paid_at = now(), received_cents = 10083, paid_parts = ?
       where uuid = ?`,
      [movement, JSON.stringify(parts), uuid],
    )
    const { text } = await merchant.get(`/dashboard/charges/${uuid}`)
    const shown = plain(text)
    expect(shown).toContain('<dt>Pago</dt><dd class="text">R$ 100,83')
    for (const part of ['Multa: +R$ 2,00', 'Juros: +R$ 0,33', 'Abatimento: −R$ 1,50'])
      expect(shown).toContain(part)
    expect(shown).not.toContain('É uma previsão')
    const change = await merchant.get(`/dashboard/charges/${uuid}/change`)
    expect([change.status, change.headers.get('location')]).toEqual([303, `/dashboard/charges/${uuid}`])
  })
})

/** Reads the fields of the form as a browser would send them. */
const readForm = (text: string) => {
  const form = text.slice(
    text.indexOf('<form class="sheet"'),
    text.indexOf('</form>', text.indexOf('<form class="sheet"')),
  )
  const inputs = [...form.matchAll(/<input (?:type="hidden" )?name="([^"]+)" value="([^"]*)"/g)]
  const selects = [...form.matchAll(/<select name="([^"]+)"[\s\S]*?<option value="([^"]*)" selected/g)]
  return Object.fromEntries([...inputs, ...selects].map(([, name, value]) => [name!, unescapeHtml(value!)]))
}

/** Stores a change of a charge of R$ 100.00 that its provider has accepted, or not answered yet, or that changes nothing. */
async function insertRevision(
  charge: string,
  change: {
    uuid?: string
    status?: 'requested' | 'revised' | 'unchanged'
    valueCents?: number
    due: DueTerms
  },
) {
  const { uuid = randomUUID(), status = 'revised', valueCents = 10_000, due } = change
  const [{ message, due: dueBefore }] = (await ours.sql('select message, due from charge where uuid = ?', [
    charge,
  ])) as [{ message: string; due: DueTerms }]
  await ours.sql(
    `insert into charge_revision (uuid, charge_uuid, number, status, value_cents, fee_cents, total_cents, due, message, request_id,
       fingerprint, created_at, updated_at) values (?, ?, 1, ?, ?, 0, ?, ?, ?, 'r', 'f', now(), now())`,
    [uuid, charge, status, valueCents, valueCents, JSON.stringify(due), message],
  )
  if (status !== 'revised') return
  const issuedAs = { valueCents: 10_000, totalCents: 10_000, due: dueBefore, message, expiresAt: null }
  await ours.sql(
    'update charge set value_cents = ?, total_cents = ?, due = ?, revision = 1, issued_as = ? where uuid = ?',
    [valueCents, valueCents, JSON.stringify(due), JSON.stringify(issuedAs), charge],
  )
}

describe('the form that changes a charge', () => {
  const changeOf = async (due: DueTerms) =>
    `/dashboard/charges/${await insertDueCharge(ours, due, revising)}/change`
  const percentages = { abatement: null, discount: null }
  test('has the terms that the charge has', async () => {
    const { status, text } = await merchant.get(await changeOf(createDueTerms({ on: dueDay })))
    expect(status).toBe(200)
    expect(readForm(text)).toMatchObject({
      value: '100,00',
      'due.on': dueDay,
      'due.payable_days_after': '30',
      'due.fine.value': '2,00',
      'due.fine.type': 'PERCENTAGE',
      'due.interest.value': '1,00',
      'due.interest.per': 'MONTH',
      'due.interest.days': 'CALENDAR',
      'due.abatement.value': '1,50',
      'due.abatement.type': 'FIXED',
      'due.discount.until.0.value': '10,00',
      'due.discount.until.0.on': addDays(dueDay, -10),
    })
  })

  test('asks the provider only for what differs', async () => {
    const path = await changeOf(createDueTerms({ on: dueDay, ...percentages }))
    const fields = readForm((await merchant.get(path)).text)
    const same = await merchant.send(path, fields)
    expect([same.status, calls]).toEqual([422, []])
    expect(same.text).toContain('precisa mudar, ou o vencimento, ou a mensagem')
    const changed = await merchant.send(path, { ...fields, value: '120,00' })
    expect([changed.status, calls.length > 0]).toEqual([503, true])
  })

  test('refuses to remove the message', async () => {
    const uuid = await insertDueCharge(ours, createDueTerms({ on: dueDay, ...percentages }), revising)
    await ours.sql("update charge set message = 'Dezembro' where uuid = ?", [uuid])
    const path = `/dashboard/charges/${uuid}/change`
    const fields = readForm((await merchant.get(path)).text)
    const emptied = await merchant.send(path, { ...fields, value: '120,00', message: '' })
    expect([emptied.status, calls]).toEqual([422, []])
    expect(emptied.text).toContain('não pode ser removida')
  })

  test('takes another value of an overdue charge, whose due day stays', async () => {
    const path = await changeOf(createDueTerms({ on: longAgo, ...percentages }))
    const fields = readForm((await merchant.get(path)).text)
    const preview = await merchant.send(path, { ...fields, value: '80,00', preview: '1' })
    expect([preview.status, preview.text.includes('id="in-due.on-wrong"')]).toEqual([200, false])
    const changed = await merchant.send(path, { ...fields, value: '80,00' })
    expect([changed.status, calls.length > 0]).toEqual([503, true])
  })

  test('names what another user has changed meanwhile', async () => {
    const path = await changeOf(createDueTerms({ on: dueDay }))
    const { text } = await merchant.get(path)
    const uuid = path.split('/')[3]!
    const due = createDueTerms({ on: addDays(dueDay, 1) })
    await insertRevision(uuid, { due })
    const answer = await merchant.send(path, { ...readForm(text), value: '90,00' })
    expect([answer.status, calls]).toEqual([409, []])
    expect(hiddenFieldOf(answer.text, 'version')).not.toBe(hiddenFieldOf(text, 'version'))
    expect(answer.text).toContain(dateOf(dueDay))
  })
})

describe('a change', () => {
  const percentages = { abatement: null, discount: null }

  test('that is sent again after its provider has accepted it is answered as one, and with other values refused', async () => {
    const due = createDueTerms({ on: dueDay, ...percentages })
    const uuid = await insertDueCharge(ours, due, revising)
    const path = `/dashboard/charges/${uuid}/change`
    const form: Record<string, string> = {
      ...readForm((await merchant.get(path)).text),
      value: '120,00',
    }
    expect((await merchant.send(path, form)).status).toBe(503)
    const [, order] = /"args":\[\{"uuid":"([0-9a-f-]{36})"/.exec(lastSent) ?? []
    await insertRevision(uuid, { uuid: order!, valueCents: 12_000, due })
    const callCount = calls.length
    const again = await merchant.send(path, form)
    expect([again.status, again.headers.get('location'), calls.length]).toEqual([
      ...[303, `/dashboard/charges/${uuid}?done=charge_revised`, callCount],
    ])
    const other = await merchant.send(path, { ...form, value: '130,00' })
    expect([other.status, calls.length]).toEqual([422, callCount])
    expect(hiddenFieldOf(other.text, 'once')).not.toBe(form.once)
    expect(other.text).toContain('Este formulário já foi enviado com outros dados')
    await ours.sql("update charge set state = 'cancelled' where uuid = ?", [uuid])
    const late = await merchant.call('POST', path, {
      form: { ...form, _csrf: hiddenFieldOf((await merchant.get('/dashboard/charges/new')).text, '_csrf')! },
    })
    expect([late.status, calls.length]).toEqual([303, callCount])
  })

  test('that found the charge as it asks is answered as one when it is sent again', async () => {
    const due = createDueTerms({ on: dueDay, ...percentages })
    const uuid = await insertDueCharge(ours, due, revising)
    const path = `/dashboard/charges/${uuid}/change`
    const form = { ...readForm((await merchant.get(path)).text), value: '120,00' }
    await merchant.send(path, form)
    const [, order] = /"args":\[\{"uuid":"([0-9a-f-]{36})"/.exec(lastSent) ?? []
    // Another user has changed it to the same between form and workflow.
    await insertRevision(uuid, { due, valueCents: 12_000 })
    await insertRevision(uuid, { uuid: order!, status: 'unchanged', valueCents: 12_000, due })
    const again = await merchant.send(path, form)
    expect([again.status, again.headers.get('location')]).toEqual([
      ...[303, `/dashboard/charges/${uuid}?done=charge_revised`],
    ])
  })

  test('whose answer is missing is on the page of its charge, and another one is refused', async () => {
    const due = createDueTerms({ on: dueDay, ...percentages })
    const uuid = await insertDueCharge(ours, due, revising)
    const path = `/dashboard/charges/${uuid}/change`
    const form = { ...readForm((await merchant.get(path)).text), value: '120,00' }
    await insertRevision(uuid, { status: 'requested', valueCents: 8_000, due })
    const { text } = await merchant.get(`/dashboard/charges/${uuid}`)
    expect(text).toContain('Uma alteração espera a resposta do provedor')
    expect(plain(text)).toContain('<dt>Valor</dt><dd class="text">R$ 80,00</dd>')
    expect(text).not.toContain(`href="${path}"`)
    const refused = await merchant.send(path, form)
    expect([refused.status, calls]).toEqual([409, []])
    expect(refused.text).toContain('O provedor ainda não respondeu a uma alteração anterior desta cobrança')
  })

  test('is not offered where the provider changes no charges, and is refused in words', async () => {
    const woovi = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_B', dialect: 'woovi' })
    const uuid = await insertDueCharge(ours, createDueTerms({ on: dueDay }), woovi)
    const path = `/dashboard/charges/${uuid}/change`
    const { text } = await merchant.get(`/dashboard/charges/${uuid}`)
    expect(text).not.toContain(`href="${path}"`)
    const { status, headers } = await merchant.get(path)
    expect([status, headers.get('location')]).toEqual([303, `/dashboard/charges/${uuid}`])
    const form = { value: '90,00', once: randomUUID() }
    const refused = await merchant.send(path, form, { on: `/dashboard/charges/${uuid}` })
    expect([refused.status, calls]).toEqual([409, []])
    expect(refused.text).toContain('Só uma cobrança pendente com vencimento pode ser alterada')
  })
})

describe('the list', () => {
  test('has the due day, and finds by it', async () => {
    const on = addDays(today, 300)
    const uuid = await insertDueCharge(ours, createDueTerms({ on }))
    const found = await merchant.get(`/dashboard/charges?due_from=${on}&due_to=${on}`)
    expect(found.text.match(/href="\/dashboard\/charges\/[0-9a-f-]{36}"/g)).toEqual([
      `href="/dashboard/charges/${uuid}"`,
    ])
    expect(found.text).toContain(dateOf(on))
    const reversed = await merchant.get(`/dashboard/charges?due_from=${on}&due_to=${today}`)
    expect(reversed.text).toContain('due_to')
  })

  test('shows the overdue charges by a tab', async () => {
    const late = await insertDueCharge(ours, createDueTerms({ on: longAgo }))
    const future = await insertDueCharge(ours, createDueTerms({ on: dueDay }))
    const { text } = await merchant.get('/dashboard/charges')
    const link = /<a href="([^"]*due_to=[^"]*)">Vencidas</.exec(text)?.[1]?.replaceAll('&#38;', '&')
    const overdue = await merchant.get(link!)
    expect([overdue.text.includes(late), overdue.text.includes(future)]).toEqual([true, false])
    expect(overdue.text).toContain('<small>vencida</small>')
  })

  test('has the due day in its file', async () => {
    const on = addDays(today, 200)
    await insertDueCharge(ours, createDueTerms({ on }))
    const { text } = await merchant.get(`/dashboard/charges/charges.csv?due_from=${on}&due_to=${on}`)
    const [header, row] = text.split('\r\n')
    expect(header).toContain('Vencimento')
    expect(row).toContain(on)
  })
})
