import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { expireToken, issueToken, revokeTokens } from '../../../src/admin/tokens.ts'
import { addUser } from '../../../src/admin/users.ts'
import { startOfDay } from '../../../src/contract/shared/time-zone.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { pollUntil } from '../../api/support/poll-until.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { bookLine } from '../support/booked-line.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { breakCommits, slowDownWrites } from '../support/failing-writes.ts'
import { PASSWORD } from '../support/full-account.ts'

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
      await bookLine(fixture.orm, { connection, type: 'EXTERNAL_TRANSFER', cents, balance, at, name: 'Ana' })
    }
  const charge = await fixture.insertCharge(connection)
  await sql('update charge set created_at = ? where uuid = ?', [new Date('2026-01-01T02:30:00Z'), charge])

  const closing = ['R$ 1,00', 'R$ 111,00', 'R$ 11.111,00']
  for (const [index, zone] of ZONES.entries()) {
    await sql('update account set time_zone = ? where uuid = ?', [zone, account])
    const read = async (path: string) => (await owner.get(path)).text.replaceAll(/\s/g, ' ')
    const day = 'date_from=2025-12-31&date_to=2025-12-31'
    expect(await read(`/dashboard/ledger?mode=test&${day}`)).toContain(`>${closing[index]}</td></tr>`)
    const midnight = /31\/12\/2025, 23:59<\/time>/g
    expect((await read(`/dashboard/ledger?mode=test&${day}`)).match(midnight)).toHaveLength(1)
    const csv = await read(`/dashboard/ledger/ledger.csv?mode=test&${day}`)
    expect(csv.match(/2025-12-31 23:59:00;2025-12-31 23:59:00/g)).toHaveLength(1)
    const ofx = await read(`/dashboard/ledger/ledger.ofx?mode=test&${day}`)
    expect(ofx).toContain('<DTEND>20251231</DTEND>')
    expect(ofx).toContain(`<BALAMT>${closing[index]!.replace('R$ ', '').replace('.', '').replace(',', '.')}<`)
    const settlement = await read('/dashboard/settlement/settlement.csv?mode=test&period=2025-12')
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
        return /<th scope="row">([\d/]+)<\/th><td class="figure"[^>]*>R\$\s42,00/.exec(text)?.[1]
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
