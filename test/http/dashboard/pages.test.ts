import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { PartyType } from '../../../src/db/entities/party.ts'
import { BANK_ACCOUNT } from '../../support/transfer-destinations.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
let stranger: ReturnType<typeof createBrowser>
let operator: ReturnType<typeof createBrowser>

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes], { TEMPORAL_UI_URL: 'http://127.0.0.1:8233' })
  ours = await createFullAccount(fixture)
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
  const em = fixture.orm.em.fork()
  await addUser(em, {
    email: 'other@trilho.test',
    password: PASSWORD,
    accountUuid: await fixture.insertAccount(),
  })
  await addUser(em, { email: 'op@trilho.test', password: PASSWORD, accountUuid: null })
  stranger = createBrowser(fixture)
  await stranger.signIn('other@trilho.test', PASSWORD)
  operator = createBrowser(fixture, { language: 'en' })
  await operator.signIn('op@trilho.test', PASSWORD)
})
afterAll(() => fixture.close())

const PAGES = [
  '/dashboard',
  '/dashboard/charges',
  '/dashboard/transfers',
  '/dashboard/ledger',
  '/dashboard/providers',
  '/dashboard/tokens',
  '/dashboard/requests',
  '/dashboard/webhooks',
  '/dashboard/events',
  '/dashboard/disputes',
  '/dashboard/keys',
  '/dashboard/unmatched',
  '/dashboard/unmatched?outcome=all',
  '/dashboard/unmatched?outcome=credited',
  '/dashboard/refunds',
  '/dashboard/settlement',
  '/dashboard/reports',
  '/dashboard/reports/schedules',
  '/dashboard/reconciliations',
  '/dashboard/charges?q=script&value_min=1',
  '/dashboard/search',
  '/dashboard/charges/new',
  '/dashboard/transfers/new',
  '/dashboard/transfers/new/account',
  '/dashboard/transfers/new/code',
  '/dashboard/recurrences',
  '/dashboard/recurrences/new',
]
const resourcePaths = () => [
  `/dashboard/charges/${ours.charge}`,
  `/dashboard/charges/${ours.open}`,
  `/dashboard/charges/${ours.charge}/counter`,
  `/dashboard/reconciliations/${ours.connection}`,
  `/dashboard/webhooks/${ours.webhook}?example=PAYMENT`,
  `/dashboard/recurrences/${ours.recurrence}`,
  `/dashboard/transfers/${ours.transfer}`,
  `/dashboard/transfers/${ours.waiting}`,
  `/dashboard/webhooks/${ours.webhook}`,
  `/dashboard/events/${ours.event}`,
  `/dashboard/disputes/${ours.dispute}`,
  `/dashboard/refunds/${ours.refund}`,
  `/dashboard/unmatched/${ours.unmatched}`,
  `/dashboard/keys/${ours.pixKey}`,
]

describe('every page', () => {
  test('shows texts of others escaped, in both languages', async () => {
    await merchant.send('/dashboard/tokens', { name: MALICIOUS_TEXT, mode: 'test', once: randomUUID() })
    let seen = 0
    for (const language of ['pt-BR', 'en'])
      for (const path of [...PAGES, ...resourcePaths()]) {
        merchant.cookies.set('trilho_language', language)
        const { status, text } = await merchant.get(path)
        expect([path, status]).toEqual([path, 200])
        expect(text).not.toMatch(/<script>|<img src=x|\bonerror=alert\(1\)>(?!&)|<%|\bundefined\b|\[object/)
        expect(text).toContain(`<html lang="${language}">`)
        if (text.includes('&#60;script&#62;alert(1)')) seen++
      }
    expect(seen).toBeGreaterThanOrEqual(16)
  })

  test('shows the provider’s own message of a transfer, and not the internal note of a call that broke off', async () => {
    expect((await merchant.get(`/dashboard/transfers/${ours.transfer}`)).text).toContain('<q>')
    const { status, text } = await merchant.get(`/dashboard/transfers/${ours.unknown}`)
    expect(status).toBe(200)
    expect(text).not.toContain('<q>')
  })

  test.each<
    [what: string, attempt: [state: string, code: string | null, isPrepared: boolean], badge: string]
  >([
    ['is being prepared', ['preparing', null, false], 'preparing">Being prepared'],
    ['waits for its turn', ['preparing', 'paced', false], 'waiting">Waits for its turn, not sent'],
    ['waits after an earlier sending', ['calling', 'paced', false], 'waiting">Waits for its turn, not sent'],
    ['is prepared and waits', ['preparing', 'paced', true], 'prepared">Prepared, not sent'],
    ['is being called', ['calling', null, true], 'calling">In progress'],
    ['had no turn', ['unreachable', 'paced', false], 'unreachable">Not reached'],
  ])('shows that an attempt %s', async (_, [state, code, isPrepared], badge) => {
    const uuid = randomUUID()
    await ours.sql(
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, held_cents,
         pix_key, request_id, fingerprint, created_at, updated_at)
       select ?, account_uuid, connection_uuid, provider_account_uuid, 'sending', 100, 100, 'a@b.example', 'r', 'f', now(), now()
       from transfer where uuid = ?`,
      [uuid, ours.unknown],
    )
    const [handle, ref] = isPrepared ? [fixture.dependencies.sealer.seal({ ref: uuid }), uuid] : [null, null]
    await ours.sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state, code,
         prepared_at, sealed_handle, provider_ref, created_at, updated_at)
       select ?, 'transfer', uuid, connection_uuid, provider_account_uuid, 0, ?, ?,
         case when ?::boolean then now() end, ?, ?, now(), now() from transfer where uuid = ?`,
      [randomUUID(), state, code, isPrepared, handle, ref, uuid],
    )
    const readBadge = async (browser: typeof merchant, path: string) => {
      const { text } = await browser.get(path)
      const [, attempts] = text.split('class="attempts"')
      return attempts!.match(/<span class="status (\w+">[^<]+)/)![1]
    }
    expect(await readBadge(operator, `/dashboard/operator/unknown/transfer/${uuid}`)).toBe(badge)
    const shown = badge.split('>')[0]!
    expect(await readBadge(merchant, `/dashboard/transfers/${uuid}`)).toContain(shown)
    await ours.sql('delete from attempt where subject_uuid = ?', [uuid])
    await ours.sql('delete from transfer where uuid = ?', [uuid])
  })

  test('shows the account that a transfer without a key goes to', async () => {
    const uuid = randomUUID()
    const stored = new PartyType().convertToDatabaseValue(BANK_ACCOUNT)
    await ours.sql(
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, held_cents, bank_account,
         receiver, document, request_id, fingerprint, created_at, updated_at)
       select ?, account_uuid, connection_uuid, provider_account_uuid, 'sending', 100, 100, ?::jsonb, ?::jsonb, ?, 'r', 'f', now(), now()
       from transfer where uuid = ?`,
      [uuid, stored, stored, BANK_ACCOUNT.document, ours.unknown],
    )
    await ours.sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state, created_at, updated_at)
       select ?, 'transfer', uuid, connection_uuid, provider_account_uuid, 0, 'calling', now(), now() from transfer where uuid = ?`,
      [randomUUID(), uuid],
    )
    const shown = (await merchant.get(`/dashboard/transfers/${uuid}`)).text
    expect(shown).toContain('Maria Silva')
    expect(shown).toContain('18236120 · **01 · *****67')
    expect(shown).not.toContain('1234567')
    const operated = (await operator.get(`/dashboard/operator/unknown/transfer/${uuid}`)).text
    expect(operated).toContain('18236120/1/1234567')
    const { text } = await merchant.get('/dashboard/transfers')
    expect(text.slice(text.indexOf(uuid))).toContain('Maria Silva')
    await ours.sql('delete from attempt where subject_uuid = ?', [uuid])
    await ours.sql('delete from transfer where uuid = ?', [uuid])
  })

  test('executes only scripts of this service in a browser', async () => {
    for (const path of [...PAGES, ...resourcePaths(), '/dashboard/nowhere', '/dashboard/charges/no-uuid']) {
      const { headers } = await merchant.get(path)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      if (path.endsWith('nowhere')) continue
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; script-src 'self'; connect-src 'self'; manifest-src 'self'",
      )
    }
  })

  test('requires a session of its own role', async () => {
    for (const path of [...PAGES, ...resourcePaths()]) {
      const answer = await createBrowser(fixture).get(path)
      expect([path, answer.status, answer.text]).toEqual([path, 303, expect.stringContaining('sign-in')])
      if (path !== '/dashboard') expect([path, (await operator.get(path)).status]).toEqual([path, 404])
    }
  })

  test('shows no operation of another account', async () => {
    for (const path of [
      ...resourcePaths(),
      `/dashboard/charges/${ours.charge}/qr.svg`,
      `/dashboard/charges/${ours.charge}/counter`,
    ])
      expect([path, (await stranger.get(path)).status]).toEqual([path, 404])
    for (const path of PAGES) {
      const { text } = await stranger.get(path)
      expect(text).not.toContain(ours.charge)
      expect(text).not.toContain(ours.connection)
    }
  })
})

describe('a page’s action', () => {
  const acts = () => [
    '/dashboard/sign-out',
    `/dashboard/charges/${ours.open}/cancel`,
    `/dashboard/charges/${ours.charge}/refund`,
    `/dashboard/transfers/${ours.waiting}/cancel`,
    '/dashboard/providers/order',
    '/dashboard/tokens',
    `/dashboard/tokens/${randomUUID()}/revoke`,
    '/dashboard/keys',
    '/dashboard/keys/code',
    '/dashboard/keys/remove',
    '/dashboard/webhooks',
    ...['change', 'rotate', 'test', 'remove', `deliveries/${ours.delivery}/resend`].map(
      act => `/dashboard/webhooks/${ours.webhook}/${act}`,
    ),
  ]

  test('needs the token of its session', async () => {
    const others = hiddenFieldOf((await stranger.get('/dashboard/tokens')).text, '_csrf')!
    for (const path of acts()) {
      for (const form of [{}, { _csrf: '' }, { _csrf: others }] as Record<string, string>[]) {
        const { status, text } = await merchant.call('POST', path, {
          form: { name: 'x', mode: 'test', ...form },
        })
        expect([path, status]).toEqual([path, 403])
        expect(text).toContain('role="alert"')
      }
      const json = { 'content-type': 'application/json' }
      expect((await merchant.call('POST', path, { headers: json })).status).toBe(415)
    }
    expect((await merchant.get('/dashboard/tokens')).status).toBe(200)
  })

  test('redirects a GET to the page of its form', async () => {
    const webhook = `/dashboard/webhooks/${ours.webhook}`
    for (const [path, leadsTo] of [
      ['/dashboard/sign-out', '/dashboard'],
      ['/dashboard/providers/order', '/dashboard/providers'],
      ['/dashboard/keys/code', '/dashboard/keys'],
      [`/dashboard/tokens/${randomUUID()}/revoke`, '/dashboard/tokens'],
      [`/dashboard/charges/${ours.charge}/refund`, `/dashboard/charges/${ours.charge}`],
      [`/dashboard/transfers/${ours.waiting}/cancel`, `/dashboard/transfers/${ours.waiting}`],
      [`/dashboard/disputes/${ours.dispute}/reply`, `/dashboard/disputes/${ours.dispute}`],
      [`${webhook}/rotate`, webhook],
      [`${webhook}/deliveries/${ours.delivery}/resend`, webhook],
    ] as const) {
      const answer = await merchant.get(path)
      expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 303, leadsTo])
    }
    const settle = await operator.get('/dashboard/operator/settle')
    expect(settle.headers.get('location')).toBe('/dashboard/operator/unknown')
    expect((await merchant.get('/dashboard/operator/settle')).status).toBe(404)
    expect((await stranger.get(`${webhook}/rotate`)).status).toBe(404)
  })

  test('is refused for another role or account', async () => {
    for (const path of acts().filter(path => path !== '/dashboard/sign-out'))
      expect([path, (await operator.call('POST', path, { form: {} })).status]).toEqual([path, 404])
    const cancelled = await stranger.send(
      `/dashboard/charges/${ours.open}/cancel`,
      {},
      { on: '/dashboard/tokens' },
    )
    expect(cancelled.status).toBe(404)
  })

  test('reports that Temporal is unavailable, and nothing has started', async () => {
    const on = `/dashboard/charges/${ours.charge}`
    const answer = await merchant.confirm(`${on}/refund`, { value: '1,00', once: randomUUID() }, { on })
    expect(answer.status).toBe(503)
    const started = 'select * from refund where charge_uuid = ? and uuid <> ?'
    expect(await ours.sql(started, [ours.charge, ours.refund])).toEqual([])
  })

  test('shows a refusal on the page of the request, in its language', async () => {
    merchant.cookies.set('trilho_language', 'pt-BR')
    const on = `/dashboard/charges/${ours.charge}`
    const tooMuch = await merchant.send(`${on}/refund`, { value: '9.999.999,00', once: randomUUID() }, { on })
    expect(tooMuch.status).toBe(422)
    expect(tooMuch.text).toContain('Verifique os campos do formulário.')
    expect(tooMuch.text).toContain(`action="${on}/refund"`)
    for (const value of ['abc', '1,000', '1.00,00']) {
      const noAmount = await merchant.send(`${on}/refund`, { value, once: randomUUID() }, { on })
      expect([value, noAmount.status]).toEqual([value, 422])
      expect(noAmount.text).toContain(
        '<li><strong>Valor</strong>: precisa ser um valor em reais, como 1234,56 ou 1.234,56</li>',
      )
    }
    const openCharge = `/dashboard/charges/${ours.open}`
    const unpaid = await merchant.send(
      `${openCharge}/refund`,
      { value: '1,00', once: randomUUID() },
      { on: openCharge },
    )
    expect([unpaid.status, unpaid.text.includes('Só uma cobrança paga')]).toEqual([409, true])
  })
})

describe('a token', () => {
  test('is created once however often its form is sent, shown once, and revoked', async () => {
    const form = {
      name: 'loja',
      mode: 'test',
      provider_uuid: ours.connection,
      expires_on: '2999-12-31',
      once: randomUUID(),
    }
    const made = await merchant.send('/dashboard/tokens', form)
    expect(made.status).toBe(200)
    const token = /value="(trl_test_[\w-]{43})"/.exec(made.text)![1]!
    // The account has a simulator only.
    expect((await stranger.get('/dashboard/tokens')).text).toContain('<option value="live" selected>')
    expect((await merchant.get('/dashboard/tokens')).text).toContain('<option value="test" selected>')
    expect(made.text).toContain('31/12/2999, 23:59:59')
    const again = await merchant.send('/dashboard/tokens', form)
    expect([again.status, again.headers.get('location')]).toEqual([303, '/dashboard/tokens?done=token_there'])
    const rows = await ours.sql(
      'select uuid, connection_uuid, expires_at, prefix from token where name = ?',
      ['loja'],
    )
    expect(rows).toEqual([
      {
        uuid: form.once,
        connection_uuid: ours.connection,
        expires_at: expect.anything(),
        prefix: token.slice(0, 15),
      },
    ])
    expect((await merchant.get('/dashboard/tokens')).text).not.toContain(token)
    const on = '/dashboard/tokens'
    const foreign = await stranger.confirm(`${on}/${form.once}/revoke`, {}, { on })
    expect(foreign.status).toBe(404)
    expect(await ours.sql('select revoked_at from token where uuid = ?', [form.once])).toEqual([
      { revoked_at: null },
    ])
    await merchant.confirm(`${on}/${form.once}/revoke`, {}, { on })
    expect(
      await ours.sql('select revoked_at is not null as gone from token where uuid = ?', [form.once]),
    ).toEqual([{ gone: true }])
  })

  test('whose form is sent twice concurrently is created once, without an internal error', async () => {
    const form = { name: 'double', mode: 'test', once: randomUUID() }
    const _csrf = hiddenFieldOf((await merchant.get('/dashboard/tokens')).text, '_csrf')!
    const twice = [1, 2, 3, 4].map(() =>
      merchant.call('POST', '/dashboard/tokens', { form: { _csrf, ...form } }),
    )
    const statuses = (await Promise.all(twice)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 303, 303, 303])
    expect(await ours.sql('select from token where name = ?', ['double'])).toHaveLength(1)
  })

  test('has the permissions of its form, which are changed on its page; errors name the field', async () => {
    const once = randomUUID()
    const form = { name: 'till', mode: 'test', once, scopes: 'charges', allowed_addresses: '203.0.113.7' }
    expect((await merchant.send('/dashboard/tokens', form)).status).toBe(200)
    const on = `/dashboard/tokens/${once}`
    const stored = async () =>
      (await ours.sql('select scopes, allowed_addresses from token where uuid = ?', [once]))[0]
    expect(await stored()).toEqual({ scopes: ['charges'], allowed_addresses: ['203.0.113.7'] })
    expect((await merchant.get('/dashboard/tokens')).text).toContain('Endereços IP: 1')
    const change = (fields: Record<string, string>) => merchant.send(`${on}/permissions`, fields, { on })
    const wrong = await change({ scopes: '', allowed_addresses: '203.0.113.7/24' })
    expect([wrong.status, wrong.text]).toEqual([
      422,
      expect.stringContaining('203.0.113.7/24 está em 203.0.113.0/24'),
    ])
    expect(wrong.text).toContain('não pode ficar vazio')
    expect(wrong.text).toContain('value="203.0.113.7/24"')
    expect((await change({ scopes: 'read', allowed_addresses: '' })).headers.get('location')).toContain(
      'token_changed',
    )
    expect(await stored()).toEqual({ scopes: ['read'], allowed_addresses: [] })
    expect((await stranger.get(on)).status).toBe(404)
    const foreign = await stranger.send(`${on}/permissions`, { scopes: 'webhooks' })
    expect(foreign.status).toBe(404)
    expect(await stored()).toEqual({ scopes: ['read'], allowed_addresses: [] })
  })

  test('that works is not hidden by those that were revoked since', async () => {
    const on = '/dashboard/tokens'
    await merchant.send(on, { name: 'an old one that works', mode: 'test', once: randomUUID() })
    await ours.sql(
      `insert into token (uuid, account_uuid, name, hash, prefix, mode, revoked_at, created_at)
       select gen_random_uuid(), ?, 'gone', sha256(convert_to(n::text, 'UTF8')), 'trl_test_x', 'test', now(), now()
       from generate_series(1, 220) n`,
      [ours.account],
    )
    expect((await merchant.get(on)).text).toContain('an old one that works')
    await ours.sql(`delete from token where name = 'gone'`)
  })

  test.each([
    ['without a name', { name: ' ' }],
    ['bound to a stranger’s provider', { provider_uuid: '00000000-0000-4000-8000-000000000000' }],
    ['that ended yesterday', { expires_on: '2020-01-01' }],
    ['of no mode', { mode: 'admin' }],
    ['bound to a simulator that it would never reach', { mode: 'live', provider_uuid: 'SIMULATED' }],
  ])('is not created %s', async (_, change) => {
    const form = { name: 'x', mode: 'test', once: randomUUID(), ...change }
    const bound = 'provider_uuid' in form && form.provider_uuid === 'SIMULATED'
    const answer = await merchant.send('/dashboard/tokens', {
      ...form,
      ...(bound && { provider_uuid: ours.connection }),
    })
    expect([404, 422]).toContain(answer.status)
    expect(await ours.sql(`select * from token where name in ('x', '')`)).toEqual([])
  })
})

test('the order of providers changes by its buttons, and never to an empty list', async () => {
  const second = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_B' })
  const on = '/dashboard/providers'
  const order = async () =>
    (
      await ours.sql(
        'select connection_uuid as uuid from default_provider where account_uuid = ? order by position',
        [ours.account],
      )
    ).map(row => row.uuid)
  await merchant.send(`${on}/order`, { order: ours.connection, move: `add ${second}` }, { on })
  expect(await order()).toEqual([ours.connection, second])
  const alone = await merchant.send(`${on}/order`, { order: second, move: `remove ${second}` }, { on })
  expect(alone.status).toBe(422)
  expect(await order()).toEqual([ours.connection, second])
  const foreign = await merchant.send(`${on}/order`, { order: second, move: `add ${randomUUID()}` }, { on })
  expect(foreign.status).toBe(422)
})

test('a blocked provider is dropped by any change of the order, and cannot be added', async () => {
  const accountUuid = await fixture.insertAccount()
  const [first, second, third] = [
    await fixture.insertConnection(accountUuid),
    await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B' }),
    await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_C' }),
  ]
  await fixture.replaceDefaultProviders(accountUuid, [first])
  await addUser(fixture.orm.em.fork(), { email: 'blocked@trilho.test', password: PASSWORD, accountUuid })
  const owner = createBrowser(fixture)
  await owner.signIn('blocked@trilho.test', PASSWORD)
  await ours.sql(`update connection set status = 'BLOCKED' where uuid in (?, ?)`, [first, third])
  const on = '/dashboard/providers'
  const { text } = await owner.get(on)
  expect([second, third].map(one => text.includes(`value="add ${one}"`))).toEqual([true, false])
  const added = await owner.send(`${on}/order`, { mode: 'test', order: first, move: `add ${second}` }, { on })
  expect(added.status).toBe(303)
  const rows = await ours.sql('select connection_uuid as uuid from default_provider where account_uuid = ?', [
    accountUuid,
  ])
  expect(rows).toEqual([{ uuid: second }])
})

test('lists accept the API’s filters, and name invalid ones', async () => {
  const paid = await merchant.get('/dashboard/charges?status=PAID&value_min=1.234,56')
  expect(paid.text).toContain(ours.charge)
  expect(paid.text).not.toContain(ours.open)
  const ambiguous = await merchant.get('/dashboard/charges?value_max=1,000')
  expect(ambiguous.text).toContain('precisa ser um valor em reais, como 1234,56 ou 1.234,56')
  expect(ambiguous.text).not.toContain(ours.charge)
  const wrong = await merchant.get('/dashboard/charges?value_min=abc&date_from=ontem&nothing=1')
  expect(wrong.status).toBe(200)
  expect(wrong.text.match(/<li><strong>/g)?.length).toBe(3)
  expect(wrong.text).not.toContain(ours.charge)
})

test('a webhook without an event type is refused, and the cleared choices stay cleared', async () => {
  const kinds = (text: string) => text.match(/name="events" value="\w+" checked/g)?.length ?? 0
  const list = '/dashboard/webhooks'
  const webhookPage = `${list}/${ours.webhook}`
  for (const [on, act, ticked] of [
    [list, list, 5],
    [webhookPage, `${webhookPage}/change`, 1],
  ] as const) {
    const { text } = await merchant.get(on)
    // The form as a browser sends it without any choice.
    expect([kinds(text), hiddenFieldOf(text, 'events')]).toEqual([ticked, ''])
    const form = { url: 'https://127.0.0.1:1/hook', events: '', once: randomUUID() }
    const refused = await merchant.send(act, form, { on })
    expect([act, refused.status, kinds(refused.text)]).toEqual([act, 422, 0])
    expect(refused.text).toContain('<strong>Eventos</strong>: precisa ter ao menos um evento')
    expect(refused.text).toContain('value="https://127.0.0.1:1/hook"')
  }
  expect(await ours.sql('select events from webhook where uuid = ?', [ours.webhook])).toEqual([
    { events: ['PAYMENT'] },
  ])
})

test('a refused webhook form keeps what was typed', async () => {
  const ticked = (text: string) =>
    [...text.matchAll(/name="events" value="(\w+)" checked/g)].map(match => match[1])
  const on = '/dashboard/webhooks'
  const wrong = { url: 'https://127.0.0.1:1/typed', events: 'MED' }
  const created = await stranger.send(on, { ...wrong, token: 'my "own" one', once: randomUUID() })
  expect([created.status, ticked(created.text)]).toEqual([422, ['MED']])
  expect(created.text).toContain('name="token" value="my &#34;own&#34; one"')
  const none = await stranger.send(on, { url: wrong.url, events: '', once: randomUUID() })
  expect([none.status, ticked(none.text)]).toEqual([422, []])
  const one = `${on}/${ours.webhook}`
  const registered = ticked((await merchant.get(one)).text)
  const changed = await merchant.send(`${one}/change`, wrong, { on: one })
  expect([changed.status, ticked(changed.text)]).toEqual([422, ['MED']])
  expect(changed.text).toContain('value="https://127.0.0.1:1/typed"')
  const disabled = await merchant.send(`${one}/change`, { status: 'GONE' }, { on: one })
  expect([disabled.status, ticked(disabled.text)]).toEqual([422, registered])
})

test('the event types of an unreachable endpoint can be changed', async () => {
  const [{ url }] = (await ours.sql('select url from webhook where uuid = ?', [ours.webhook])) as [
    { url: string },
  ]
  const on = `/dashboard/webhooks/${ours.webhook}`
  const changed = await merchant.send(`${on}/change`, { url, events: 'MED' }, { on })
  expect(changed.headers.get('location')).toBe(`${on}?done=webhook_changed`)
  expect(await ours.sql('select events from webhook where uuid = ?', [ours.webhook])).toEqual([
    { events: ['MED'] },
  ])
})

test('a webhook is tested, resent to, disabled and removed', async () => {
  const on = `/dashboard/webhooks/${ours.webhook}`
  const done = async (act: string, form = {}) => {
    const answer = await merchant.confirm(`${on}/${act}`, form, { on })
    return [answer.status, answer.headers.get('location')]
  }
  expect(await done('test')).toEqual([303, `${on}?done=test_sent`])
  expect(await done(`deliveries/${ours.delivery}/resend`)).toEqual([303, `${on}?done=resent`])
  const rows = await ours.sql('select status from delivery where webhook_uuid = ?', [ours.webhook])
  expect(rows).toEqual([{ status: 'PENDING' }, { status: 'PENDING' }])
  // Those that were chosen are sent together, without one that is sent soon anyway.
  expect((await merchant.send(`${on}/resend`, {}, { on })).status).toBe(422)
  await ours.sql(`update delivery set status = 'FAILED', next_attempt_at = null where uuid = ?`, [
    ours.delivery,
  ])
  expect((await merchant.get(on)).text).toContain(`form="chosen" name="delivery" value="${ours.delivery}"`)
  expect(await done('resend', { delivery: ours.delivery })).toEqual([303, `${on}?done=resent_many`])
  expect(await done('resend', { delivery: ours.delivery })).toEqual([303, `${on}?done=resent_many`])
  expect(await ours.sql('select status from delivery where uuid = ?', [ours.delivery])).toEqual([
    { status: 'PENDING' },
  ])
  const example = await merchant.get(`${on}?example=MED`)
  expect(example.text).toContain('&#34;type&#34;: &#34;MED&#34;')
  expect((await merchant.get(`${on}?example=x`)).text).not.toContain('&#34;type&#34;')
  expect(await done('change', { status: 'DISABLED' })).toEqual([303, `${on}?done=webhook_changed`])
  expect((await merchant.confirm(`${on}/remove`, {}, { on })).status).toBe(303)
  expect((await merchant.get(on)).status).toBe(404)
})

test('a dispute is replied to by a form of its own session only', async () => {
  const on = `/dashboard/disputes/${ours.dispute}`
  const page = (await merchant.get(on)).text
  expect(page).toContain('enctype="multipart/form-data"')
  const reply = async (fields: Record<string, string>, files: File[] = []) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    for (const file of files) form.append('attachments[][file]', file)
    return merchant.call('POST', `${on}/reply`, { multipart: form })
  }
  const _csrf = hiddenFieldOf(page, '_csrf')!
  const fields = { accept: '0', analysis: 'Entregue.', understood: '1' }
  expect((await reply(fields)).status).toBe(403)
  expect((await reply({ ...fields, _csrf: 'other' })).status).toBe(403)
  const script = new File(['<script>alert(1)</script>'], 'a.png', { type: 'image/png' })
  const wrong = await reply({ accept: '0', analysis: MALICIOUS_TEXT, _csrf }, [script])
  expect([wrong.status, wrong.text.includes('precisa ser um PDF')]).toEqual([422, true])
  expect(wrong.text).not.toContain('<script>alert')
  expect(wrong.text).toContain('&#60;script&#62;alert(1)')
  const attachments = Array.from(
    { length: 11 },
    () => new File(['%PDF-1.4'], 'a.pdf', { type: 'application/pdf' }),
  )
  const tooMany = await reply({ accept: '1', analysis: 'Escrita com cuidado.', _csrf }, attachments)
  expect(tooMany.status).toBe(422)
  expect(tooMany.text).toContain('<li><strong>Comprovantes (arquivos)</strong>')
  expect(tooMany.text).toContain('Escrita com cuidado.')
  expect(tooMany.text).toContain('value="1" checked')
  // As a browser sends 2,000 characters, by its own count.
  const lines = `${'x'.repeat(99)}\r\n`.repeat(20)
  expect((await reply({ ...fields, accept: '1', analysis: lines, _csrf })).status).toBe(503)
  expect((await reply({ ...fields, accept: '1', analysis: `${lines}y`, _csrf })).status).toBe(422)
  const tooLong = await reply({ ...fields, analysis: 'x'.repeat(900), _csrf }, attachments.slice(0, 1))
  expect(tooLong.status).toBe(422)
  expect(tooLong.text).toMatch(
    /PROVIDER_A aceita no máximo 1000 caracteres com os links dos arquivos \(1\), que deixam \d+ para este texto/,
  )
  expect(tooLong.text).toMatch(/<textarea name="analysis"[^>]* aria-invalid="true"/)
  const unconfirmed = await reply({ ...fields, understood: '', _csrf })
  expect([unconfirmed.status, unconfirmed.text.includes('precisa ser confirmada')]).toEqual([422, true])
  expect((await reply({ ...fields, _csrf })).status).toBe(503)
  expect(await ours.sql('select accept from dispute where uuid = ?', [ours.dispute])).toEqual([
    { accept: null },
  ])
})

test('the fourth key request within a minute must wait', async () => {
  const on = '/dashboard/keys'
  const tried = async () => {
    const form = {
      type: 'EMAIL',
      auth_code_id: randomUUID(),
      auth_code: '1',
      once: randomUUID(),
      mode: 'test',
    }
    return (await merchant.send(on, form)).status
  }
  expect([await tried(), await tried(), await tried(), await tried()]).toEqual([422, 422, 422, 429])
})

test('an unreachable webhook is not registered', async () => {
  const on = '/dashboard/webhooks'
  const form = { url: 'https://127.0.0.1:1/hook', once: randomUUID() }
  const answer = await merchant.send(on, form)
  expect([answer.status, answer.text.includes('value="https://127.0.0.1:1/hook"')]).toEqual([422, true])
  expect((await merchant.send(on, { ...form, url: 'javascript:alert(1)' })).status).toBe(422)
})

test('the statement page and its file have the same lines', async () => {
  const answer = await merchant.get('/dashboard/ledger/ledger.csv?names=api')
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="extrato-script-alert-1-[\w-]+-teste\.csv"$/,
  )
  const [columns, line, ...rest] = answer.text.replace('\uFEFF', '').trimEnd().split('\r\n')
  expect(columns).toMatch(/^created_at;settled_at;type;movement_type;value;balance_after;status;provider;/)
  expect(line).toMatch(
    /^[\d-]{10} [\d:]{8};[\d-]{10} [\d:]{8};EXTERNAL_TRANSFER;IN;1234,56;1234,56;SETTLED;PROVIDER_A;/,
  )
  expect(rest).toEqual([])
})

test('a page that polls without news receives no body', async () => {
  const path = `/dashboard/charges/${ours.open}`
  const { text } = await merchant.get(path)
  const live = /hx-get="([^"]+)"/.exec(text)![1]!
  expect((await merchant.get(live, { 'HX-Request': 'true' })).status).toBe(204)
  await ours.sql('update charge set updated_at = now() where uuid = ?', [ours.open])
  expect((await merchant.get(live, { 'HX-Request': 'true' })).status).toBe(200)
})

test('no page of a merchant links to the Temporal UI, which is for operators', async () => {
  for (const page of [`transfers/${ours.transfer}`, `charges/${ours.charge}`, `disputes/${ours.dispute}`])
    expect((await merchant.get(`/dashboard/${page}`)).text).not.toContain('127.0.0.1:8233')
})

test('an unknown address shows an error page', async () => {
  for (const path of ['/dashboard/nowhere', '/dashboard/operator/nowhere', '/dashboard/charges/a/b/c']) {
    const { status, headers, text } = await merchant.get(path)
    expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8'])
    expect(text).toContain('<h1>Página não encontrada</h1>')
  }
  expect((await createBrowser(fixture).get('/dashboard/nowhere')).status).toBe(303)
})

test('the language switches on the current page, and redirects to no other site', async () => {
  const answer = await merchant.get('/dashboard/charges?status=PAID&lang=en')
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard/charges?status=PAID'])
  expect((await merchant.get('/dashboard/charges')).text).toContain('<h1>Charges</h1>')
  await merchant.get('/dashboard?lang=pt-BR')
  expect((await merchant.get('/dashboard/charges')).text).toContain('<h1>Cobranças</h1>')
})

test('assets are cached by their content', async () => {
  const { text } = await merchant.get('/dashboard')
  const paths = [...text.matchAll(/(?:href|src)="(\/dashboard\/assets\/[^"]+)"/g)].map(match => match[1]!)
  expect(new Set(paths).size).toBe(7)
  for (const path of paths) {
    const { status, headers } = await createBrowser(fixture).get(path)
    expect([path, status, headers.get('cache-control')]).toEqual([
      path,
      200,
      'public, max-age=31536000, immutable',
    ])
  }
})

test('the first steps of an account are listed until each is done', async () => {
  const steps = (text: string) =>
    [...text.matchAll(/<li><span class="status (\w+)">/g)].map(match => match[1])
  const before = await stranger.get('/dashboard')
  expect(steps(before.text)).toEqual(['pending', 'pending', 'pending', 'pending', 'pending'])
  expect(before.text).toContain('0 de 5 concluídos')
  await stranger.send('/dashboard/tokens', { name: 'till', mode: 'test', once: randomUUID() })
  expect(steps((await stranger.get('/dashboard')).text)).toEqual([
    'pending',
    'delivered',
    'pending',
    'pending',
    'pending',
  ])
  const invited = { email: 'socia@loja.example', role: 'finance', once: randomUUID() }
  await stranger.send('/dashboard/users/invitations', invited, { on: '/dashboard/users' })
  expect(steps((await stranger.get('/dashboard')).text).at(-1)).toBe('delivered')
  await ours.sql('update webhook set last_success_at = now(), deleted_at = null where uuid = ?', [
    ours.webhook,
  ])
  expect((await merchant.get('/dashboard')).text).not.toContain('id="onboarding"')
})

test('what the API created names the token and, where there is one, the request', async () => {
  await ours.sql('update token set name = ? where uuid = ?', ['loja on-line', ours.token])
  for (const [noun, table, uuid] of [
    ['charges', 'charge', ours.charge],
    ['transfers', 'transfer', ours.transfer],
    ['refunds', 'refund', ours.refund],
    ['webhooks', 'webhook', ours.webhook],
  ] as const) {
    const path = `/dashboard/${noun}/${uuid}`
    expect([noun, (await merchant.get(path)).text.includes('Criação pela API')]).toEqual([noun, false])
    const hasRequest = table !== 'webhook'
    await ours.sql(
      `update ${table} set token_number = (select number from token where uuid = ?)
       ${hasRequest ? ", request_id = 'pedido+42'" : ''} where uuid = ?`,
      [ours.token, uuid],
    )
    const { text } = await merchant.get(path)
    expect(text).toContain(`<a href="/dashboard/tokens/${ours.token}">loja on-line</a>`)
    const link = '<a href="/dashboard/requests?request_id=pedido%2B42"><code>pedido+42</code></a>'
    expect([noun, text.includes(link)]).toEqual([noun, hasRequest])
  }
})

test('the user who ordered an object is named where a restored backup has lost the record of the order', async () => {
  const { user } = ours
  for (const [noun, table, uuid] of [
    ['charges', 'charge', ours.charge],
    ['transfers', 'transfer', ours.transfer],
    ['refunds', 'refund', ours.refund],
    ['webhooks', 'webhook', ours.webhook],
  ] as const) {
    const countActs = async () =>
      (await merchant.get(`/dashboard/${noun}/${uuid}`)).text.split(`<span>${ours.email}</span>`).length - 1
    const before = await countActs()
    await ours.sql(`update ${table} set token_number = null, user_uuid = ? where uuid = ?`, [user, uuid])
    expect([noun, await countActs()]).toEqual([noun, before + 1])
  }
})

test('the page of a webhook says since when it fails, and asks before it sends missed events again', async () => {
  const on = `/dashboard/webhooks/${ours.webhook}`
  await ours.sql('update webhook set failing_since = now(), deleted_at = null where uuid = ?', [ours.webhook])
  expect((await merchant.get(on)).text).toContain('Com falha desde')
  const recover = (since: string) => merchant.send(`${on}/recover`, { since }, { on })
  expect((await recover('2026-01-02T03:04')).text).toContain('Reenviar os eventos perdidos?')
  expect((await recover('2999-01-01T00:00')).status).toBe(422)
  expect((await recover('soon')).status).toBe(422)
  await ours.sql('update webhook set failing_since = null where uuid = ?', [ours.webhook])
})

test('a user chooses a light or a dark page, in whichever language, until the choice is given up', async () => {
  const browser = createBrowser(fixture)
  await browser.signIn(ours.email, PASSWORD)
  const readTheme = async () =>
    /<html lang="[^"]+"(?: data-theme="(\w+)")?>/.exec((await browser.get('/dashboard/ledger')).text)![1]
  expect(await readTheme()).toBeUndefined()
  for (const theme of ['dark', 'light']) {
    const { status, headers } = await browser.get(`/dashboard/charges?mode=test&theme=${theme}`)
    expect([status, headers.get('location')]).toEqual([303, '/dashboard/charges?mode=test'])
    expect(await readTheme()).toBe(theme)
  }
  expect((await browser.get('/dashboard/ledger?theme=x')).status).toBe(200)
  const { text } = await browser.get('/dashboard/profile')
  expect(text).toContain('<strong>Claro</strong>')
  expect(text).toMatch(/<a href="\/dashboard\/profile\?theme=dark">Escuro<\/a>/)
  await browser.get('/dashboard?theme=system')
  expect(await readTheme()).toBeUndefined()
})
