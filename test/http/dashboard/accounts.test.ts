import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { expireToken, issueToken, revokeTokens } from '../../../src/admin/tokens.ts'
import { addUser } from '../../../src/admin/users.ts'
import { createTokenLookup } from '../../../src/api/authorization/visitor-limit.ts'
import { startOfDay } from '../../../src/contract/shared/time-zone.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import { sha256 } from '../../../src/security/sealing.ts'
import { pollUntil } from '../../api/support/poll-until.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { bookLine } from '../support/booked-line.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { breakCommits, slowDownWrites } from '../support/failing-writes.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

describe('opened account', () => {
  /** Operators search all accounts, and open one to read the pages of its merchant. */

  const ACCOUNTS = '/dashboard/operator/accounts'
  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  let operator: ReturnType<typeof createBrowser>

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes], { TEMPORAL_UI_URL: 'http://127.0.0.1:8233' })
    ours = await createFullAccount(fixture)
    await addUser(fixture.orm.em.fork(), { email: 'op@trilho.test', password: PASSWORD, accountUuid: null })
  })
  afterAll(() => fixture.close())
  beforeEach(async () => {
    operator = createBrowser(fixture, { language: 'en' })
    await operator.signIn('op@trilho.test', PASSWORD)
  })

  const openAccount = (fields: Record<string, string> = {}) =>
    operator.send(
      `${ACCOUNTS}/open`,
      { account: ours.account, reason: 'the merchant asked', ...fields },
      { on: ACCOUNTS },
    )
  const search = async (text: string) =>
    (await operator.get(`${ACCOUNTS}?q=${encodeURIComponent(text)}`)).text

  test('a search finds an account by a part of its name, its document and its uuid', async () => {
    const [account] = await ours.sql('select name, document from account where uuid = ?', [ours.account])
    const link = `name="account" value="${ours.account}"`
    for (const text of [account!.name.slice(0, 5).toUpperCase(), account!.document, ours.account])
      expect([text, (await search(text)).includes(link)]).toEqual([text, true])
    expect(await search('no account has this name')).toContain('No account or operation was found.')
  })

  test('a search finds an operation by its uuid and by the reference that its provider knows', async () => {
    await ours.sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state,
       created_at, updated_at)
     select gen_random_uuid(), 'issue', ?, uuid, provider_account_uuid, 0, 'accepted', now(), now()
     from connection where uuid = ?`,
      [ours.charge, ours.connection],
    )
    for (const [text, noun, uuid] of [
      [ours.charge, 'charge', ours.charge],
      [ours.transfer, 'transfer', ours.transfer],
      [referenceOf(ours.charge), 'charge', ours.charge],
      [ours.unmatched, 'unmatched', ours.unmatched],
    ])
      expect(await search(text!)).toMatch(
        new RegExp(`name="noun" value="${noun}"><[^>]*name="uuid" value="${uuid}"`),
      )
  })

  test('an account is opened with a reason, which is recorded, and leads to what was found', async () => {
    expect((await operator.get('/dashboard/charges')).status).toBe(404)
    const refused = await openAccount({ noun: 'account', uuid: ours.account, reason: '' })
    expect([refused.status, refused.text.includes('<details class="act" open>')]).toEqual([422, true])
    expect((await operator.get('/dashboard/charges')).status).toBe(404)

    const opened = await openAccount({ noun: 'charge', uuid: ours.charge })
    expect([opened.status, opened.headers.get('location')]).toEqual([
      303,
      `/dashboard/charges/${ours.charge}`,
    ])
    const recorded = await ours.sql('select actor, action, reason from operator_action where subject = ?', [
      `account/${ours.account}`,
    ])
    expect(recorded).toEqual([
      { actor: 'op@trilho.test', action: 'open_account', reason: 'the merchant asked' },
    ])
    for (const page of [
      `charges/${ours.charge}`,
      'charges',
      'transfers',
      'disputes',
      'ledger',
      'webhooks',
      'events',
    ]) {
      const { status, text } = await operator.get(`/dashboard/${page}`)
      expect([page, status]).toEqual([page, 200])
      expect(text).toContain('You are reading this account.')
    }
  })

  test('an operation of an opened account links to its workflow', async () => {
    await openAccount()
    expect((await operator.get(`/dashboard/transfers/${ours.transfer}`)).text).toContain(
      `http://127.0.0.1:8233/namespaces/default/workflows/${encodeURIComponent(`transfer/${ours.transfer}`)}`,
    )
  })

  test('no form of the merchant is carried out for an operator', async () => {
    await openAccount()
    const before = await ours.sql('select count(*) from token where account_uuid = ?', [ours.account])
    const answer = await operator.send('/dashboard/tokens', { name: 'mine', mode: 'live' })
    expect(answer.status).toBe(404)
    expect(await ours.sql('select count(*) from token where account_uuid = ?', [ours.account])).toEqual(
      before,
    )
  })

  test('the account is open in this session only, until it is closed', async () => {
    await openAccount()
    const other = createBrowser(fixture)
    await other.signIn('op@trilho.test', PASSWORD)
    expect((await other.get('/dashboard/charges')).status).toBe(404)
    expect((await operator.send(`${ACCOUNTS}/close`, {}, { on: '/dashboard/charges' })).status).toBe(303)
    expect((await operator.get('/dashboard/charges')).status).toBe(404)
  })

  test('a blocked account is read by operators; its own users are signed out', async () => {
    const merchant = createBrowser(fixture)
    await merchant.signIn(ours.email, PASSWORD)
    await ours.sql(`update account set status = 'BLOCKED' where uuid = ?`, [ours.account])
    await openAccount()
    expect((await operator.get('/dashboard/charges')).status).toBe(200)
    expect((await merchant.get('/dashboard/charges')).status).toBe(303)
    await ours.sql(`update account set status = 'ACTIVE' where uuid = ?`, [ours.account])
  })

  test('a merchant opens no account, and does not find the search', async () => {
    const merchant = createBrowser(fixture)
    await merchant.signIn(ours.email, PASSWORD)
    expect((await merchant.get(ACCOUNTS)).status).toBe(404)
    const answer = await merchant.send(
      `${ACCOUNTS}/open`,
      { account: ours.account, reason: 'none of mine' },
      { on: '/dashboard' },
    )
    expect(answer.status).toBe(404)
  })
})

describe('account settings', () => {
  /** The time zone of an account: who sets it, and that every page and file has its days. */

  const MINUTE = 60_000
  const PATH = '/dashboard/settings'
  const ZONES = ['America/Noronha', 'America/Sao_Paulo', 'America/Manaus']

  let fixture: ApiFixture
  let account: string
  let connection: string
  let owner: ReturnType<typeof createBrowser>
  let viewer: ReturnType<typeof createBrowser>
  let operator: ReturnType<typeof createBrowser>

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    account = await fixture.insertAccount()
    connection = await fixture.insertConnection(account)
    const em = fixture.orm.em.fork()
    const signIn = async (email: string, user: { accountUuid: string | null; role?: 'viewer' }) => {
      await addUser(em, { email, password: PASSWORD, ...user })
      const browser = createBrowser(fixture)
      await browser.signIn(email, PASSWORD)
      return browser
    }
    owner = await signIn('dona@loja.example', { accountUuid: account })
    viewer = await signIn('leitora@loja.example', { accountUuid: account, role: 'viewer' })
    operator = await signIn('plantao@trilho.example', { accountUuid: null })
  })
  afterAll(() => fixture?.close())

  const sql = (query: string, values: unknown[] = []) => fixture.orm.em.fork().execute(query, values)
  const readZone = async () =>
    (await sql('select time_zone from account where uuid = ?', [account]))[0]!.time_zone
  const set = (time_zone: string, form: Record<string, string> = {}) =>
    owner.send(`${PATH}/time-zone`, { time_zone, ...form }, { on: PATH })
  const readActions = () =>
    sql('select actor, action, reason, account_uuid from operator_action where subject = ? order by at', [
      `account/${account}`,
    ])

  test('an owner chooses it from the zones of Brazil and all others, once per form, and it is recorded', async () => {
    const { text } = await owner.get(PATH)
    expect(text).toContain('Brasília (GMT-3)')
    expect(text.indexOf('value="America/Manaus"')).toBeLessThan(text.indexOf('value="Africa/Abidjan"'))
    expect(text).toContain('<option value="America/Sao_Paulo" selected>')
    const version = hiddenFieldOf(text, 'version')!
    for (const _ of ['first', 'again'])
      expect((await set('America/Manaus')).headers.get('location')).toBe(`${PATH}?done=time_zone_changed`)
    expect(await readZone()).toBe('America/Manaus')
    expect(await readActions()).toEqual([
      {
        actor: 'dona@loja.example',
        action: 'account_time_zone',
        account_uuid: account,
        reason: 'in the dashboard: America/Manaus',
      },
    ])
    expect((await owner.get(PATH)).text).toContain('Fuso horário da conta alterado')
    // Another owner has changed it since the page was shown.
    const stale = await set('America/Noronha', { version })
    expect([stale.status, stale.text.includes('America/Sao_Paulo → America/Manaus')]).toEqual([409, true])
  })

  test.each(['Brasilia', 'america/manaus', '-03:00', '', 'UTC\0', "UTC'; drop table account"])(
    '%j is refused',
    async name => {
      await sql(`update account set time_zone = 'America/Manaus' where uuid = ?`, [account])
      expect((await set(name)).status).toBe(422)
      expect(await readZone()).toBe('America/Manaus')
    },
  )

  test('a viewer sees it and may not change it', async () => {
    const page = await viewer.get(PATH)
    expect([page.status, page.text.includes('<select name="time_zone"')]).toEqual([200, false])
    const { status } = await viewer.send(
      `${PATH}/time-zone`,
      { time_zone: 'UTC' },
      { on: '/dashboard/profile' },
    )
    expect(status).toBe(403)
  })

  test('an operator sees and sets it with a reason; their own pages keep the time of Brasília', async () => {
    const on = `/dashboard/operator/accounts/${account}`
    const order = (form: object) =>
      operator.send(
        '/dashboard/operator/accounts/time-zone',
        { uuid: account, time_zone: 'America/Noronha', reason: 'asked by phone', ...form },
        { on },
      )
    expect((await order({ reason: '' })).status).toBe(422)
    expect((await order({ time_zone: 'Noronha' })).status).toBe(422)
    expect((await order({})).status).toBe(303)
    expect((await readActions()).at(-1)).toMatchObject({
      actor: 'plantao@trilho.example',
      reason: 'asked by phone',
    })
    await sql(`update account set created_at = '2026-01-01T02:30:00Z' where uuid = ?`, [account])
    const { text } = await operator.get(on)
    expect(text).toContain('Fernando de Noronha <code>America/Noronha</code>')
    expect(text).toContain('>31/12/2025, 23:30:00</time>')
    expect((await owner.get(PATH)).text).toContain('>01/01/2026, 00:30:00</time>')
  })

  test('a day is the account’s own on every page and in every file', async () => {
    // One real just before and one just after each midnight: of Noronha at 2:00 UTC, Brasília at 3:00, Manaus at 4:00.
    let balance = 0
    for (const [index, zone] of ZONES.entries())
      for (const [half, offset] of [-MINUTE, 0].entries()) {
        const cents = 100 * 10 ** (index * 2 + half)
        balance += cents
        const at = startOfDay('2026-01-01', zone).getTime() + offset
        await bookLine(fixture.orm, {
          connection,
          type: 'EXTERNAL_TRANSFER',
          cents,
          balance,
          at,
          name: 'Ana',
        })
      }
    const charge = await fixture.insertCharge(connection)
    await sql('update charge set created_at = ? where uuid = ?', [new Date('2026-01-01T02:30:00Z'), charge])

    const closing = ['R$ 1,00', 'R$ 111,00', 'R$ 11.111,00']
    for (const [index, zone] of ZONES.entries()) {
      await sql('update account set time_zone = ? where uuid = ?', [zone, account])
      const read = async (path: string) => (await owner.get(path)).text.replaceAll(/\s/g, ' ')
      const day = 'date_from=2025-12-31&date_to=2025-12-31'
      expect(await read(`/dashboard/ledger?mode=test&${day}`)).toContain(`>${closing[index]}</td></tr>`)
      const midnight = /<th scope="row"><time[^>]*>23:59<\/time>/g
      expect((await read(`/dashboard/ledger?mode=test&${day}`)).match(midnight)).toHaveLength(1)
      const csv = await read(`/dashboard/ledger/ledger.csv?mode=test&${day}`)
      expect(csv.match(/2025-12-31 23:59:00;2025-12-31 23:59:00/g)).toHaveLength(1)
      const ofx = await read(`/dashboard/ledger/ledger.ofx?mode=test&${day}`)
      expect(ofx).toContain('<DTEND>20251231</DTEND>')
      expect(ofx).toContain(
        `<BALAMT>${closing[index]!.replace('R$ ', '').replace('.', '').replace(',', '.')}<`,
      )
      const settlement = await read('/dashboard/settlement/settlement.csv?mode=test&period=2025-12&names=api')
      const [last] = settlement.match(/2025-12-31;[^ ]*/)!
      expect(last.split(';').at(-2)).toBe(closing[index]!.replace('R$ ', '').replace('.', ''))
      const charges = await read(`/dashboard/charges?mode=test&${day}`)
      expect([zone, charges.includes(charge)]).toEqual([zone, zone !== 'America/Noronha'])
      expect(charges).toContain(
        ['de Fernando de Noronha (GMT-2)', 'de Brasília (GMT-3)', 'de Manaus (GMT-4)'][index],
      )
    }
  })

  test('the plot of the overview and the times of forms are in the account’s zone', async () => {
    const today = new Date().toISOString().slice(0, 10)
    // Midnight in Noronha is two hours before midnight in Manaus: the same day there, and the day before here.
    const at = startOfDay(today, 'America/Noronha').getTime() - 24 * 60 * MINUTE
    await bookLine(fixture.orm, {
      connection,
      type: 'EXTERNAL_TRANSFER',
      cents: 4_200,
      balance: 4_200,
      at,
      name: 'Ana',
    })
    const rowOf = async (zone: string) => {
      await sql('update account set time_zone = ? where uuid = ?', [zone, account])
      // On a busy machine a sum may not be computed in time.
      return pollUntil(
        async () => {
          const { text } = await owner.get('/dashboard?mode=test')
          return /<th scope="row"><a [^>]*>([\d/]+)<\/a><\/th><td class="figure"[^>]*>R\$\s42,00/.exec(
            text,
          )?.[1]
        },
        day => day !== undefined,
      )
    }
    const shown = (ms: number) => new Date(ms).toISOString().slice(5, 10).split('-').reverse().join('/')
    const day = Date.parse(today) - 24 * 60 * MINUTE
    expect(await rowOf('America/Noronha')).toBe(shown(day))
    expect(await rowOf('America/Manaus')).toBe(shown(day - 24 * 60 * MINUTE))

    const tomorrow = new Date(Date.now() + 24 * 60 * MINUTE).toISOString().slice(0, 10)
    const named = { name: 'loja', mode: 'test', expires_on: tomorrow, once: crypto.randomUUID() }
    await owner.confirm('/dashboard/tokens', { ...named, scopes: 'read' }, { on: '/dashboard/tokens' })
    const [token] = await sql('select expires_at from token where account_uuid = ?', [account])
    expect(new Date(token!.expires_at).toISOString().slice(10)).toBe('T03:59:59.999Z')
  })

  test('a form whose commit is not answered is not confirmed', async () => {
    const commits = await breakCommits(sql, 'account')
    const before = await readZone()
    const { status, text } = await set(before === 'America/Belem' ? 'America/Recife' : 'America/Belem')
    await commits.end()
    expect([status, await readZone()]).toEqual([503, before])
    expect(text).toContain('O resultado ainda não foi confirmado')
  })

  test('a form that is late is rolled back, so that its page need not ask whether it comes later', async () => {
    const before = await readZone()
    const writes = await slowDownWrites(sql, ['account', 'operator_action'])
    const { status } = await set(before === 'America/Belem' ? 'America/Recife' : 'America/Belem')
    await writes.end()
    expect([status, await readZone()]).toEqual([503, before])
  })

  test('the page of the account shows what an operator did to its tokens', async () => {
    const em = fixture.orm.em.fork()
    const by = { actor: 'op@trilho.test', reason: 'troca de chave' }
    const uuid = crypto.randomUUID()
    await issueToken(em, { ...by, token: { uuid, accountUuid: account, name: 'erp', mode: 'test' } })
    expect(await expireToken(em, { ...by, uuid, expiresAt: new Date(Date.now() + 60 * MINUTE) })).toBe(true)
    await revokeTokens(em, { ...by, accountUuid: account, which: { uuid } })
    const { text } = await owner.get(PATH)
    for (const act of ['Token criado', 'Validade do token definida', 'Token revogado'])
      expect(text).toContain(act)
    expect(await expireToken(em, { ...by, uuid: crypto.randomUUID(), expiresAt: new Date() })).toBe(false)
  })
})

describe('payment links', () => {
  /** A payment link shows one charge to whoever has its address, and nothing else of the account. */

  let fixture: ApiFixture
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  let merchant: ReturnType<typeof createBrowser>
  let stranger: ReturnType<typeof createBrowser>
  let payer: ReturnType<typeof createBrowser>
  let path: string

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
    ours = await createFullAccount(fixture)
    const other = await createFullAccount(fixture)
    merchant = createBrowser(fixture)
    stranger = createBrowser(fixture)
    payer = createBrowser(fixture, { language: 'en-US' })
    await merchant.signIn(ours.email, PASSWORD)
    await stranger.signIn(other.email, PASSWORD)
  })
  afterAll(() => fixture.close())

  const charge = () => `/dashboard/charges/${ours.open}`
  const linkOf = (text: string) => /id="link" class="secret" value="[^"]*(\/pay\/[\w-]{32})"/.exec(text)?.[1]

  test('a link is created once, by its own account, and stored without its token', async () => {
    const on = charge()
    await ours.sql(`update charge set expires_at = now() + interval '1 hour' where uuid = ?`, [ours.open])
    expect((await stranger.send(`${on}/link`, {}, { on: '/dashboard/tokens' })).status).toBe(404)
    const version = hiddenFieldOf((await merchant.get(on)).text, 'version')!
    const created = await Promise.all(
      [1, 2, 3].map(() => merchant.send(`${on}/link`, { note: MALICIOUS_TEXT }, { on })),
    )
    expect(created.map(({ headers }) => headers.get('location')).sort()).toEqual([
      ...[`${on}?done=link_created`, `${on}?done=link_exists`, `${on}?done=link_exists`],
    ])
    // A page from before the link leads to it too.
    const late = await merchant.send(`${on}/link`, { version }, { on })
    expect([late.status, late.headers.get('location')]).toEqual([303, `${on}?done=link_exists`])
    const actions = await ours.sql(
      `select from operator_action where action = 'link_create' and subject = ?`,
      [`charge/${ours.open}`],
    )
    expect(actions).toHaveLength(1)
    path = linkOf((await merchant.get(on)).text)!
    const rows = await ours.sql('select sealed_token, token_hash from payment_link where charge_uuid = ?', [
      ours.open,
    ])
    const token = path.split('/').at(-1)!
    expect(rows).toEqual([{ sealed_token: expect.stringMatching(/^sealed\./), token_hash: sha256(token) }])
  })

  test('a payer sees the amount and the chosen text in the language of the browser, and nothing else', async () => {
    const { status, text, headers } = await payer.get(path)
    expect(status).toBe(200)
    for (const shown of ['R$', '1,234.56', 'Payment to', '&#60;script&#62;alert(1)'])
      expect(text).toContain(shown)
    expect(text).not.toContain('<script>alert')
    for (const hidden of [ours.open, ours.account, ours.connection, '52998224725', 'Provedor', 'Provider'])
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false])
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.getSetCookie()).toEqual([])
    const picture = await payer.get(`${path}/qr.svg`)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    const switched = await payer.get(`${path}?lang=pt-BR`)
    expect([switched.status, switched.headers.get('location')]).toEqual([303, path])
    expect((await payer.get(path)).text).toContain('Pagamento para')
  })

  test.each([
    ['expired', 'Cobrança expirada'],
    ['cancelled', 'Cobrança cancelada'],
  ])('a charge that is %s is no longer payable by its link', async (state, said) => {
    await ours.sql('update charge set state = ? where uuid = ?', [state, ours.open])
    const { status, text } = await payer.get(path)
    expect([status, text.includes(said), text.includes('id="payload"')]).toEqual([200, true, false])
    expect(text).not.toMatch(/hx-get/)
    expect((await payer.get(`${path}/qr.svg`)).status).toBe(404)
  })

  test('a paid charge says so', async () => {
    const on = `/dashboard/charges/${ours.charge}`
    await merchant.send(`${on}/link`, {}, { on })
    const { text } = await payer.get(linkOf((await merchant.get(on)).text)!)
    expect([text.includes('<h1>Pago</h1>'), text.includes('52998224725')]).toEqual([true, false])
  })

  test('a revoked link says so after one more question, and a new one has another address', async () => {
    const on = charge()
    const link = /name="link" value="([^"]*)"/.exec((await merchant.get(on)).text)![1]!
    // Refused before the confirmation, which shows the note of the link.
    expect((await stranger.send(`${on}/link/revoke`, { link }, { on: '/dashboard/tokens' })).status).toBe(404)
    expect((await payer.get(path)).status).toBe(200)
    const revoked = await merchant.confirm(`${on}/link/revoke`, { link }, { on })
    expect(revoked.headers.get('location')).toBe(`${on}?done=link_revoked`)
    const { status, text } = await payer.get(path)
    expect([status, text.includes('Link desativado'), text.includes('1.234,56')]).toEqual([410, true, false])
    await merchant.send(`${on}/link`, {}, { on })
    expect(linkOf((await merchant.get(on)).text)).not.toBe(path)
  })

  test('a made-up address has no page, and guessing is limited', async () => {
    for (const token of ['x', 'x'.repeat(32), randomUUID(), encodeURIComponent(MALICIOUS_TEXT)]) {
      const { status, text } = await payer.get(`/pay/${token}`)
      expect([status, text.includes('<script>alert')]).toEqual([404, false])
    }
    let now = 0
    const findByToken = createTokenLookup(() => now)
    const guess = (ip: string) => findByToken({ ip, params: { token: 'x' } }, async () => null)
    for (let count = 0; count < 14; count++) await guess('203.0.113.1')
    await expect(guess('203.0.113.1')).rejects.toThrow()
    await guess('203.0.113.2')
    now = 60_000
    await guess('203.0.113.1')
  })
})
