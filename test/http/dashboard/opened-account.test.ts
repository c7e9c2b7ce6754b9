import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

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
const search = async (text: string) => (await operator.get(`${ACCOUNTS}?q=${encodeURIComponent(text)}`)).text

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
    [ours.unmatched, 'account', ours.account],
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
  expect([opened.status, opened.headers.get('location')]).toEqual([303, `/dashboard/charges/${ours.charge}`])
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
  expect(await ours.sql('select count(*) from token where account_uuid = ?', [ours.account])).toEqual(before)
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
