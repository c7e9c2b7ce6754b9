import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { TemporalConnectionError } from '../../../src/http/outage.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf, hiddenFieldsOf } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

/** Two users act on one object: the second is told what changed, and nothing is done twice or by mistake. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let first: ReturnType<typeof createBrowser>
let second: ReturnType<typeof createBrowser>
let temporalCalls = 0

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes], {}, async () => {
    temporalCalls++
    throw new TemporalConnectionError('away')
  })
  ours = await createFullAccount(fixture)
  first = createBrowser(fixture)
  await first.signIn(ours.email, PASSWORD)
  await addUser(fixture.orm.em.fork(), {
    email: 'bia@trilho.test',
    password: PASSWORD,
    accountUuid: ours.account,
  })
  second = createBrowser(fixture)
  await second.signIn('bia@trilho.test', PASSWORD)
})
afterAll(() => fixture?.close())

/** Sends a form of a page with the version that the page had. */
const sendOf = (page: { text: string }, path: string, form: Record<string, string> = {}) =>
  second.call('POST', path, {
    form: {
      _csrf: hiddenFieldOf(page.text, '_csrf')!,
      version: hiddenFieldOf(page.text, 'version')!,
      once: randomUUID(),
      ...form,
    },
  })

const changeOf = (text: string) =>
  /nada foi feito\. Situação atual: (.*?)\.<\/p>/.exec(text.replaceAll('\u00a0', ' '))?.[1]

test('a webhook that another user has disabled is not changed by the page from before', async () => {
  const on = `/dashboard/webhooks/${ours.webhook}`
  const page = await second.get(on)
  expect((await first.confirm(`${on}/change`, { status: 'DISABLED' }, { on })).status).toBe(303)
  const form = { url: 'https://127.0.0.1:1/mine', events: 'MED' }
  const answer = await sendOf(page, `${on}/change`, form)
  expect([answer.status, changeOf(answer.text)]).toEqual([409, 'Situação: Ativo → Desativado'])
  // What was typed is still there, and the page now has the present version.
  expect(answer.text).toContain('value="https://127.0.0.1:1/mine"')
  expect((await sendOf(answer, `${on}/change`, { events: 'MED' })).status).toBe(303)
})

test('who did what is on the page of the object', async () => {
  const { text } = await second.get(`/dashboard/webhooks/${ours.webhook}`)
  expect(text).toContain('<strong>Alterou o webhook</strong>')
  expect(text).toContain(ours.email)
  const { text: unmatched } = await second.get(`/dashboard/unmatched/${ours.unmatched}`)
  expect(unmatched).toContain('<strong>Devolução ao pagador</strong> <span>Operador do serviço</span>')
  // An operator's name and reason are not for merchants.
  expect(
    await ours.sql(`select from operator_action where subject = ?`, [`return/${ours.unmatched}`]),
  ).toHaveLength(1)
  expect(unmatched.slice(unmatched.indexOf('class="acted"'))).not.toContain('alert(1)')
})

test('a refund of a charge of which another user has returned a part names the change', async () => {
  const on = `/dashboard/charges/${ours.charge}`
  const page = await second.get(on)
  temporalCalls = 0
  await ours.sql('update charge set disputed_cents = 0 where uuid = ?', [ours.charge])
  await ours.sql(
    `insert into payment_link (uuid, charge_uuid, token_hash, sealed_token, created_by, created_at)
     select gen_random_uuid(), ?, decode(repeat('ab', 32), 'hex'), ?, uuid, '2026-01-01T12:00:00Z' from app_user where email = ?`,
    [ours.charge, fixture.dependencies.sealer.seal('a'.repeat(32)), ours.email],
  )
  const answer = await sendOf(page, `${on}/refund`, { value: '10,00' })
  expect([answer.status, changeOf(answer.text), temporalCalls]).toEqual([
    ...[409, 'Link de pagamento: – → 01/01/2026, 09:00', 0],
  ])
  expect(answer.text).toMatch(/<input name="value" value="10,00"/)
  expect((await sendOf(answer, `${on}/refund`, { value: '10,00' })).status).toBe(200)
})

test('the order of providers that another user has changed is not overwritten', async () => {
  const on = '/dashboard/providers'
  const other = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_B' })
  const page = await second.get(on)
  await fixture.replaceDefaultProviders(ours.account, [other, ours.connection])
  const form = { order: ours.connection, move: `add ${other}`, mode: 'test' }
  const answer = await sendOf(page, `${on}/order`, form)
  expect([answer.status, changeOf(answer.text)]).toEqual([
    409,
    'Ordem dos provedores: Provedor A (nominal) → Provedor B (nominal), Provedor A (nominal)',
  ])
})

test('a token that another user has revoked is said to be revoked', async () => {
  const on = '/dashboard/tokens'
  await first.send(on, { name: 'loja', mode: 'test', once: randomUUID() }, { on })
  const [{ uuid }] = (await ours.sql(`select uuid from token where name = 'loja'`)) as [{ uuid: string }]
  const question = await second.send(`${on}/${uuid}/revoke`, {}, { on })
  expect((await first.confirm(`${on}/${uuid}/revoke`, {}, { on })).status).toBe(303)
  expect(hiddenFieldOf(question.text, 'confirmed')).toBeDefined()
  const late = await second.send(`${on}/${uuid}/revoke`, {}, { on })
  expect([late.status, changeOf(late.text)]).toEqual([409, 'Revogado'])
})

test('a version that was made up, or is of another language, only asks for the confirmation', async () => {
  const on = `/dashboard/charges/${ours.open}`
  for (const version of ['x', Buffer.from('{"language":"en","facts":[]}').toString('base64url')]) {
    const answer = await second.send(`${on}/cancel`, { version }, { on })
    expect([answer.status, hiddenFieldOf(answer.text, 'confirmed') !== undefined]).toEqual([200, true])
  }
})

test('a test event is sent once by a form that is sent twice', async () => {
  const on = `/dashboard/webhooks/${ours.webhook}`
  await ours.sql(`update webhook set status = 'ACTIVE', disabled_reason = null where uuid = ?`, [
    ours.webhook,
  ])
  const form = { once: randomUUID() }
  for (const _ of [1, 2])
    expect((await first.send(`${on}/test`, form, { on })).headers.get('location')).toBe(
      `${on}?done=test_sent`,
    )
  expect(
    await ours.sql(`select from event where type = 'TEST' and owner_uuid = ?`, [ours.webhook]),
  ).toHaveLength(1)
})

test('a webhook or a key that is removed already is said to be removed', async () => {
  const on = `/dashboard/webhooks/${ours.webhook}`
  const page = await second.get(on)
  const question = await first.send(`${on}/remove`, {}, { on })
  for (const _ of [1, 2]) {
    const answer = await first.call('POST', `${on}/remove`, { form: hiddenFieldsOf(question.text) })
    expect(answer.headers.get('location')).toBe('/dashboard/webhooks?done=webhook_removed')
  }
  const late = await sendOf(page, `${on}/change`, { events: 'MED' })
  expect([late.status, changeOf(late.text)]).toEqual([409, 'Situação: Ativo → Excluído'])

  await ours.sql('update pix_key set state = ? where uuid = ?', ['removed', ours.pixKey])
  const [row] = await ours.sql('select key, is_simulated from pix_key where uuid = ?', [ours.pixKey])
  const form = { key: row!.key, mode: row!.is_simulated ? 'test' : 'live' }
  const answer = await first.send('/dashboard/keys/remove', form, { on: '/dashboard/keys' })
  expect(answer.headers.get('location')).toBe(`/dashboard/keys?mode=${form.mode}&done=key_removed`)
})
