import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { deriveOperationUuid, fingerprintRequest } from '../../../src/api/operations/idempotency.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { TemporalConnectionError } from '../../../src/http/outage.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

/** What a page keeps after a refused form: no order is sent twice because an answer was lost. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
/** A Temporal that accepts every request without an answer, or one that is down. */
let temporal: 'silent' | 'away'

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes], {}, async () => {
    if (temporal === 'away') throw new TemporalConnectionError('away')
    return {} as Client
  })
  ours = await createFullAccount(fixture)
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
})
afterAll(() => fixture.close())
beforeEach(() => {
  temporal = 'silent'
})

const refund = (value: string, once: string) => {
  const on = `/dashboard/charges/${ours.charge}`
  return merchant.confirm(`${on}/refund`, { value, once }, { on })
}
const SAME_FORM = 'o mesmo formulário'

test('a refund that may have been accepted is submitted again with the same form, and polls its status', async () => {
  const once = randomUUID()
  const { status, text } = await refund('50,00', once)
  expect([status, hiddenFieldOf(text, 'once'), text.includes(SAME_FORM)]).toEqual([503, once, true])
  expect(text).toMatch(/<input name="value" value="50,00"/)
  expect(text).toMatch(/id="live" hx-get=/)
  // Nothing has changed yet: the page stays unchanged, with the input of its form.
  const live = /hx-get="([^"]+)"/.exec(text)![1]!
  expect((await merchant.get(live, { 'HX-Request': 'true' })).status).toBe(204)
})

test('a page that shows a rotated secret rotates none when it is reloaded, and shows no older one', async () => {
  const on = `/dashboard/webhooks/${ours.webhook}`
  await ours.sql('update webhook set sealed_secret = ? where uuid = ?', [
    fixture.dependencies.sealer.seal('whsec_b2xk'),
    ours.webhook,
  ])
  const sealed = async () =>
    (await ours.sql('select sealed_secret from webhook where uuid = ?', [ours.webhook]))[0]
  const replaces = hiddenFieldOf((await merchant.get(on)).text, 'replaces')!
  const first = await merchant.confirm(`${on}/rotate`, { replaces }, { on })
  expect([first.status, first.text.includes('value="whsec_')]).toEqual([200, true])
  const before = await sealed()
  for (const form of [{ replaces }, {}]) {
    const again = await merchant.confirm(`${on}/rotate`, form as Record<string, string>, { on })
    expect([again.status, again.headers.get('location')]).toEqual([303, `${on}?done=secret_replaced`])
  }
  expect(await sealed()).toEqual(before)
  const next = hiddenFieldOf(first.text, 'replaces')!
  expect((await merchant.confirm(`${on}/rotate`, { replaces: next }, { on })).status).toBe(200)
  expect(await sealed()).not.toEqual(before)
})

test('a page opened anew has a new form key', async () => {
  const path = `/dashboard/charges/${ours.charge}`
  const [one, other] = [await merchant.get(path), await merchant.get(path)]
  expect(hiddenFieldOf(one.text, 'once')).not.toBe(hiddenFieldOf(other.text, 'once'))
  expect(one.text).not.toMatch(/id="live" hx-get=/)
})

test('an undecided request keeps its form key', async () => {
  const once = randomUUID()
  const kept = async (value: string) => {
    const { status, text } = await refund(value, once)
    return [status, hiddenFieldOf(text, 'once') === once]
  }
  expect(await kept('50,00')).toEqual([503, true])
  temporal = 'away'
  expect(await kept('50,00')).toEqual([503, true])
  // An invalid form stores nothing, and the state of the earlier request is still unknown.
  expect(await kept('abc')).toEqual([422, true])
})

test('a request refused for good gets a new form key', async () => {
  const once = randomUUID()
  const by = { accountUuid: ours.account, mode: 'live' as const }
  const path = `/api/v1/payments/${ours.charge}/refund`
  const uuid = deriveOperationUuid({ owner: by, method: 'POST', path, key: `dashboard ${once}` })
  const fingerprint = fingerprintRequest({ body: { value: 5_000 }, connectionUuid: null })
  await ours.sql(
    `insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
       movement_uuid, failure, request_id, fingerprint, created_at, updated_at)
     select ?, uuid, account_uuid, connection_uuid, provider_account_uuid, 'failed', 5000, movement_uuid, ?, 'r', ?, now(),
       now() from charge where uuid = ?`,
    [uuid, JSON.stringify({ code: 'no_provider_available', message: '' }), fingerprint, ours.charge],
  )
  for (const value of ['50,00', '60,00']) {
    const { status, text } = await refund(value, once)
    expect([value, status]).toEqual([value, value === '50,00' ? 503 : 422])
    expect([once, undefined]).not.toContain(hiddenFieldOf(text, 'once'))
    expect(text).not.toContain(SAME_FORM)
  }
})

test('a PIX key that may have been created is requested again by the same form with the same choices', async () => {
  const on = '/dashboard/keys'
  const once = randomUUID()
  const nominal = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_D', type: 'NOMINAL' })
  const form = { type: 'RANDOM', provider_uuid: nominal, once, mode: 'test' }
  for (const expected of [503, 503, 503, 429]) {
    const { status, text } = await merchant.send(on, form, { on: `${on}?mode=test` })
    expect([status, hiddenFieldOf(text, 'once')]).toEqual([expected, once])
    expect(text).toContain('<option value="RANDOM" selected>')
    expect(text.match(new RegExp(`<option value="${nominal}" selected>`, 'g'))).toHaveLength(1)
  }
})

test('an input that cannot be stored safely is dropped: a foreign form gets a key of its own', async () => {
  const { status, text } = await refund('1,00', MALICIOUS_TEXT)
  expect([status, text.includes('alert(1)>"')]).toEqual([422, false])
  expect(hiddenFieldOf(text, 'once')).toMatch(/^[\da-f-]{36}$/)
})

test('a dispute reply keeps its decision and its text', async () => {
  temporal = 'away'
  const on = `/dashboard/disputes/${ours.dispute}`
  const form = new FormData()
  const fields = {
    accept: '1',
    understood: '1',
    analysis: 'Nada a opor.',
    _csrf: hiddenFieldOf((await merchant.get(on)).text, '_csrf')!,
  }
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const { status, text } = await merchant.call('POST', `${on}/reply`, { multipart: form })
  expect(status).toBe(503)
  expect(text).toContain('name="accept" value="1" checked')
  expect(text).toContain('Nada a opor.</textarea>')
})

test('a code that may have created its key is sent again with the same form, and fills in no other', async () => {
  const on = '/dashboard/keys'
  const once = randomUUID()
  const form = {
    type: 'EMAIL',
    address: 'maria@example.com',
    auth_code_id: randomUUID(),
    auth_code: '123456',
  }
  temporal = 'away'
  await ours.sql('delete from pix_key_creation_times')
  const { text } = await merchant.send(on, { ...form, once, mode: 'test' }, { on })
  expect(hiddenFieldOf(text, 'once')).toBe(once)
  expect(text).toContain('name="auth_code" value="123456"')
  expect(text).not.toContain('<option value="EMAIL" selected>')
  const removed = await merchant.confirm(`${on}/remove`, { key: 'joana@example.com', mode: 'test' }, { on })
  expect([removed.status, removed.text.includes('joana@example.com')]).toEqual([404, false])
})
