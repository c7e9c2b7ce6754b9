import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

/** The page of an object tells what happened to it as one history: statuses, refunds, disputes and the notes of the account's users. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let viewer: ReturnType<typeof createBrowser>
const VIEWER = 'ana@notes.test'

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
  const em = fixture.orm.em.fork()
  await addUser(em, { email: VIEWER, password: PASSWORD, accountUuid: ours.account, role: 'viewer' })
  viewer = createBrowser(fixture)
  await viewer.signIn(VIEWER, PASSWORD)
})
afterAll(() => fixture?.close())

const readTimeline = (text: string) =>
  [...text.matchAll(/<li[^>]*><span class="dot (\w+)"[\s\S]*?<strong>([\s\S]*?)<\/strong>/g)].map(
    ([, status, title]) => `${status}: ${title!.replaceAll(/<[^>]*>/g, '').replaceAll('\u00a0', ' ')}`,
  )

test('a charge has its refunds and disputes in its history, each with its page', async () => {
  const { text } = await viewer.get(`/dashboard/charges/${ours.charge}`)
  const entries = readTimeline(text)
  expect(entries.slice(0, 3)).toEqual(['pending: Pendente', 'processing: Em processamento', 'paid: Paga'])
  expect(
    entries.filter(one => /Devolução de R\$ [\d.,]+ (em andamento|concluída|não feita)/.test(one)),
  ).toHaveLength(1)
  expect(entries.filter(one => /disputed: Contestação de R\$ [\d.,]+ aberta/.test(one))).toHaveLength(1)
  for (const path of [`refunds/${ours.refund}`, `disputes/${ours.dispute}`])
    expect(text).toContain(`<strong><a href="/dashboard/${path}">`)
})

test.each<[string, () => string]>([
  ['charges', () => ours.charge],
  ['transfers', () => ours.transfer],
  ['disputes', () => ours.dispute],
])('a viewer writes a note about one of the %s once, which PostgreSQL never changes', async (noun, uuid) => {
  const path = `/dashboard/${noun}/${uuid()}`
  const note = 'O cliente ligou: <b>aguarda</b> a nota fiscal'
  for (let times = 0; times < 2; times++) {
    const { headers } = await viewer.send(`${path}/note`, { text: note }, { on: path })
    expect(headers.get('location')).toBe(`${path}?done=note_written`)
  }
  const { text } = await viewer.get(path)
  expect(readTimeline(text).filter(one => one === `note: ${VIEWER}`)).toHaveLength(1)
  expect(text).toContain('O cliente ligou: &#60;b&#62;aguarda')
  expect(text).not.toContain('Escreveu uma anotação')
  await expect(
    ours.sql(`update operator_action set reason = 'x' where action = 'note' and actor = ?`, [VIEWER]),
  ).rejects.toThrow()
})

test('an empty note is refused, and an operator who reads the account sees the notes and writes none', async () => {
  const path = `/dashboard/charges/${ours.charge}`
  expect((await viewer.send(`${path}/note`, { text: ' ' }, { on: path })).status).toBe(422)
  const email = 'op@notes.test'
  await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: null })
  const operator = createBrowser(fixture)
  await operator.signIn(email, PASSWORD)
  const { text: home } = await operator.get('/dashboard/operator')
  const form = {
    _csrf: hiddenFieldOf(home, '_csrf')!,
    account: ours.account,
    noun: 'account',
    uuid: ours.account,
  }
  await operator.call('POST', '/dashboard/operator/accounts/open', {
    form: { ...form, reason: 'a question' },
  })
  const { text } = await operator.get(path)
  expect(text).toContain('O cliente ligou')
  expect(text).not.toContain(`action="${path}/note"`)
})
