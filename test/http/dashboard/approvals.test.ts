import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { limitRoutes } from '../../../src/api/limits/routes.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { insertApprovalRequest } from '../../../src/db/repositories/approvals.ts'
import { DAY } from '../../../src/domain/shared/intervals.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldsOf } from '../support/browser.ts'
import { PASSWORD } from '../support/full-account.ts'

/** The page of what waits for its reader, and the forms that approve or reject a transfer. */

const INBOX = '/dashboard/approvals'
type Browser = ReturnType<typeof createBrowser>

let fixture: ApiFixture
let account: string
let connection: string
const users: Record<string, { browser: Browser; uuid: string }> = {}
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes, transferRoutes, limitRoutes()])
  account = await fixture.insertAccount()
  connection = await fixture.insertConnection(account)
  for (const [name, role] of [
    ['ana', 'owner'],
    ['bia', 'finance'],
    ['caio', 'finance'],
    ['dev', 'developer'],
  ] as const) {
    const email = `${name}@loja.example`
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: account, role })
    const browser = createBrowser(fixture, { language: 'en' })
    await browser.signIn(email, PASSWORD)
    const [row] = await fixture.orm.em.execute<{ uuid: string }[]>(
      'select uuid from app_user where email = ?',
      [email],
    )
    users[name] = { browser, uuid: row!.uuid }
  }
})
afterAll(() => fixture?.close())
const visit = (name: string) => users[name]!.browser

let uuid: string
const path = () => `/dashboard/transfers/${uuid}`
const approve = (name: string) => visit(name).confirm(`${path()}/approve`, {}, { on: path() })
const reject = (name: string, reason: string) =>
  visit(name).confirm(`${path()}/reject`, { reason }, { on: path() })
const readDecision = async () => {
  const [row] = await fixture.orm.em.execute<{ decision: string | null; given: string[] | null }[]>(
    `select decision, (select array_agg(approver order by at) from approval a where a.subject_uuid = r.subject_uuid) as given
     from approval_request r where subject_uuid = ?`,
    [uuid],
  )
  return row
}

/** A scheduled transfer that Ana has ordered in the dashboard waits for so many approvals. */
async function hold(needed: number) {
  uuid = randomUUID()
  const requestedAt = new Date(Date.now() - 1_000)
  await runInTransaction(fixture.orm, async em => {
    await insertApprovalRequest(em, {
      subject: 'transfer',
      subjectUuid: uuid,
      accountUuid: account,
      author: { userUuid: users.ana!.uuid },
      needed,
      requestedAt,
      expiresAt: new Date(Date.now() + DAY),
      callout: null,
    })
    await em.execute(
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
         scheduled_for, approvals_needed, request_id, fingerprint, created_at, updated_at)
       select ?, account_uuid, uuid, provider_account_uuid, 'held', 250000, 'maria@example.com', now() + interval '1 day', ?, 'r', 'f',
         now(), now() from connection where uuid = ?`,
      [uuid, needed, connection],
    )
  })
}
beforeEach(async () => {
  await fixture.orm.em.execute(
    `update approval_request set decision = 'withdrawn', decided_at = now() where account_uuid = ? and decision is null`,
    [account],
  )
  await hold(1)
})

test('what waits is in the inbox of each person who may decide, and counted in the menu', async () => {
  const read = async (name: string) => (await visit(name).get(INBOX)).text
  expect(await read('bia')).toContain(path())
  expect(await read('bia')).toContain('ana@loja.example')
  const home = (await visit('bia').get('/dashboard')).text
  expect(home).toMatch(/href="\/dashboard\/approvals"[\s\S]*?>1</)
  expect(home).toContain('Waiting for your approval: 1')
  for (const name of ['ana', 'dev'])
    expect((await visit(name).get('/dashboard')).text).not.toContain('Waiting for your approval')
  expect(await read('ana')).toContain('Nothing waits for you')
  expect((await visit('dev').get(INBOX)).status).toBe(403)
})

test('whoever decides is shown the owner of the key, as its look-up has found it', async () => {
  const lookup = {
    uuid: randomUUID(),
    onMismatch: 'REFUSE',
    owner: { name: 'Maria Souza', document: '52998224725' },
    providerAccountUuid: randomUUID(),
    expiresAt: new Date().toISOString(),
  }
  await fixture.orm.em
    .fork()
    .execute('update transfer set lookup = ?::jsonb where uuid = ?', [JSON.stringify(lookup), uuid])
  expect((await visit('bia').get(INBOX)).text).toContain('Maria Souza')
  const asked = await visit('bia').send(`${path()}/approve`, {}, { on: path() })
  for (const text of [asked.text, (await visit('bia').get(path())).text]) {
    for (const shown of ['Maria Souza', '***982247**', 'maria@example.com']) expect(text).toContain(shown)
    expect(text).not.toContain('52998224725')
  }
})

test('another person approves, once however often the form is sent, and the act is in the log', async () => {
  expect((await visit('bia').get(path())).text).toContain(`${path()}/approve`)
  const asked = await visit('bia').send(`${path()}/approve`, {}, { on: path() })
  expect(asked.text).toContain('ana@loja.example')
  for (const _ of ['first', 'again']) {
    const sent = await visit('bia').call('POST', `${path()}/approve`, { form: hiddenFieldsOf(asked.text) })
    expect(sent.headers.get('location')).toContain('done=transfer_approve')
  }
  expect((await approve('bia')).status).toBe(409)
  expect(await readDecision()).toEqual({ decision: 'approved', given: ['bia@loja.example'] })
  const { text } = await visit('bia').get(path())
  expect(text).toContain('Approved the transfer')
  expect(text).toContain('1 of 1')
  const acts = await fixture.orm.em.execute('select actor from operator_action where subject = ?', [
    `transfer/${uuid}`,
  ])
  expect(acts).toEqual([{ actor: 'bia@loja.example' }])
})

test('who ordered it sees no form, and its request is refused', async () => {
  const { text } = await visit('ana').get(path())
  expect(text).toContain('another person decides')
  expect(text).not.toContain(`${path()}/approve`)
  for (const answer of [await approve('ana'), await reject('ana', 'no')]) {
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('another person must decide')
  }
  expect(await readDecision()).toEqual({ decision: null, given: null })
})

test('a role that sends no money is refused', async () => {
  expect((await visit('dev').get(path())).text).not.toContain(`${path()}/approve`)
  expect((await approve('dev')).status).toBe(403)
})

test('a rejection has its reason, which the page and the API show', async () => {
  expect((await reject('bia', 'wrong supplier')).headers.get('location')).toContain('done=transfer_reject')
  expect((await visit('caio').get(path())).text).toContain('wrong supplier')
  expect((await approve('caio')).status).toBe(409)
  expect(await readDecision()).toEqual({ decision: 'rejected', given: ['bia@loja.example'] })
})

test('a rejection without a reason is asked again', async () => {
  expect((await reject('bia', ' ')).status).toBe(422)
})

test('of two persons, the second sees what the first has said, and decides', async () => {
  await hold(2)
  await approve('bia')
  expect(await readDecision()).toEqual({ decision: null, given: ['bia@loja.example'] })
  expect((await visit('bia').get(path())).text).toContain('one more person is needed')
  expect((await visit('caio').get(path())).text).toContain('1 of 2')
  await approve('caio')
  expect((await readDecision())?.decision).toBe('approved')
})

test('a form that was shown before another approval asks again', async () => {
  await hold(2)
  const browser = visit('caio')
  const shown = await browser.get(path())
  const version = /name="version" value="([^"]*)"/.exec(shown.text)![1]!
  await approve('bia')
  const answer = await browser.send(`${path()}/approve`, { version }, { on: path() })
  expect(answer.status).toBe(409)
  expect((await readDecision())?.decision).toBeNull()
})

test('the rule is set on the page of the limits, and kept by another change of them', async () => {
  const change = (fields: Record<string, string>) =>
    visit('ana').confirm(
      '/dashboard/limits',
      { 'night.from': '20:00', 'night.to': '06:00', ...fields },
      { on: '/dashboard/limits' },
    )
  const rule = { 'approvals.above': '1.000,00', 'approvals.count': '2', 'approvals.expires_hours': '24' }
  await change({ ...rule, 'approvals.above': '1,000.00' })
  const read = async () =>
    (
      await fixture.orm.em.execute('select limits, pending from account_limits where account_uuid = ?', [
        account,
      ])
    )[0]
  const approvals = { aboveCents: 100_000, count: 2, expiresHours: 24, calloutUrl: null }
  expect(await read()).toMatchObject({ limits: { approvals }, pending: null })
  const { text } = await visit('ana').get('/dashboard/limits')
  expect(text).toMatch(/name="approvals.above" value="1,000.00"/)
  await change({ 'approvals.above': '2,000.00', 'approvals.count': '1', 'approvals.expires_hours': '24' })
  expect(await read()).toMatchObject({
    limits: { approvals },
    pending: { approvals: { aboveCents: 200_000, count: 1 } },
  })
})
