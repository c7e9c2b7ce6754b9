import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import {
  countCalloutRequest,
  insertApprovalRequest,
  recordCalloutFailure,
  recordVerdict,
} from '../../../src/db/repositories/approvals.ts'
import { NO_LIMITS } from '../../../src/domain/limits/account-limits.ts'
import { DAY } from '../../../src/domain/shared/intervals.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { PASSWORD } from '../support/full-account.ts'

/** The call-out of approvals on the page of the limits, and its answer on the page of a transfer. */

const PATH = '/dashboard/limits'
const URL_OF_SHOP = 'https://shop.example.com/approvals'
const RULE = { 'approvals.above': '100', 'approvals.count': '1', 'approvals.expires_hours': '24' }
const NIGHT = { 'night.from': '20:00', 'night.to': '06:00' }

let fixture: ApiFixture
let account: string
let connection: string
let user: string
let finance: ReturnType<typeof createBrowser>
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  account = await fixture.insertAccount()
  connection = await fixture.insertConnection(account)
  const email = 'fin@loja.example'
  const order = { email, password: PASSWORD, accountUuid: account, role: 'finance' as const }
  user = (await addUser(fixture.orm.em.fork(), order)).uuid
  finance = createBrowser(fixture, { language: 'en' })
  await finance.signIn(email, PASSWORD)
  const approvals = { aboveCents: 200_00, count: 1, expiresHours: 24, calloutUrl: URL_OF_SHOP }
  await sql('insert into account_limits (account_uuid, limits) values (?, ?::jsonb)', [
    account,
    JSON.stringify({ ...NO_LIMITS, approvals }),
  ])
})
afterAll(() => fixture?.close())

const sql = (query: string, values: unknown[]) => fixture.orm.em.fork().execute(query, values)
const findSecret = (text: string) => /id="secret"[^>]*value="(whsec_[^"]+)"/.exec(text)?.[1]

test('the URL is a field of the form, and a URL that may not be called is named there', async () => {
  const { text } = await finance.get(PATH)
  expect(text).toContain(`value="${URL_OF_SHOP}"`)
  const { status, text: refused } = await finance.send(
    PATH,
    { ...NIGHT, ...RULE, 'approvals.callout_url': 'https://10.0.0.1/' },
    { on: PATH },
  )
  expect(status).toBe(422)
  expect(refused).toContain('must have a host with public addresses only')
  expect(refused).toContain('value="https://10.0.0.1/"')
})

test('the first secret is shown whole once', async () => {
  const fields = { ...NIGHT, ...RULE, 'approvals.callout_url': URL_OF_SHOP }
  const { status, text } = await finance.confirm(PATH, fields, { on: PATH })
  const secret = findSecret(text)!
  expect([status, secret.length]).toEqual([200, 50])
  const later = await finance.get(PATH)
  expect(later.text).not.toContain(secret)
  expect(later.text).toContain('whsec_****')
})

test('the secret is replaced, shown once, and the act is in the log', async () => {
  const replaces = hiddenFieldOf((await finance.get(PATH)).text, 'replaces')!
  const rotate = () => finance.confirm(`${PATH}/callout/rotate`, { replaces }, { on: PATH })
  expect(findSecret((await rotate()).text)).toMatch(/^whsec_/)
  expect((await rotate()).headers.get('location')).toBe(`${PATH}?done=secret_replaced`)
  expect((await finance.get(PATH)).text).toContain('Replaced the signing secret of the call-out')
})

test('no call-out is announced for 24 hours later', async () => {
  const { text } = await finance.send(PATH, { ...NIGHT, ...RULE }, { on: PATH })
  expect(text).toContain(`${URL_OF_SHOP} → no server is asked (in 24 hours)`)
})

test('the page of a transfer shows what the server has answered', async () => {
  const uuid = randomUUID()
  const requestedAt = new Date(Date.now() - 1_000)
  await runInTransaction(fixture.orm, async em => {
    await insertApprovalRequest(em, {
      subject: 'transfer',
      subjectUuid: uuid,
      accountUuid: account,
      author: { userUuid: user },
      needed: 1,
      requestedAt,
      expiresAt: new Date(Date.now() + DAY),
      callout: { url: URL_OF_SHOP, dueAt: requestedAt },
    })
    await em.execute(
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
         scheduled_for, approvals_needed, request_id, fingerprint, created_at, updated_at)
       select ?, account_uuid, uuid, provider_account_uuid, 'held', 250000, 'maria@example.com', now() + interval '1 day', 1, 'r', 'f',
         now(), now() from connection where uuid = ?`,
      [uuid, connection],
    )
    await countCalloutRequest(em, uuid, 0)
    await recordCalloutFailure(em, uuid, { failure: 'callout_timeout', nextInMs: 0 })
  })
  const read = async () => (await finance.get(`/dashboard/transfers/${uuid}`)).text
  expect(await read()).toContain('no answer yet, after 1 requests of 3: no answer within 5 s')
  await runInTransaction(fixture.orm, em =>
    recordVerdict(em, uuid, { verdict: 'reject', approver: 'callout', reason: 'callout_refused' }),
  )
  const text = await read()
  expect(text).toContain('did not approve it')
  expect(text).toContain('it answered no')
  expect(text).not.toContain('Rejected by')
})
