import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { Secret, TOTP } from 'otpauth'
import { enableSecondFactor } from '../../../src/admin/second-factor.ts'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { User } from '../../../src/db/entities/user.ts'
import { insertPasswordReset } from '../../../src/db/repositories/password-resets.ts'
import { generateLinkToken, hashResetToken } from '../../../src/security/tokens.ts'
import { generateTotpSecret } from '../../../src/security/totp.ts'
import type { PasswordResetInputDetails } from '../../../src/workflows/contracts/users.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'

/** A forgotten password: the request by e-mail, the link, and the link that an owner passes on. */

const PASSWORD = 'a long enough password'
const NEW_PASSWORD = 'another long password'
const PATH = '/dashboard/password-reset'
const HOME = '/dashboard/profile'

let fixture: ApiFixture
let account: string
let users = 0
/** Details of the workflows that were started. */
const started: PasswordResetInputDetails[] = []

/** A Temporal that accepts every start. */
const temporal = {
  withDeadline: (_: number, call: () => Promise<unknown>) => call(),
  workflow: {
    start: async (_: string, { args: [{ details }] }: { args: [{ details: string }] }) =>
      started.push(fixture.dependencies.sealer.open(details)),
  },
} as unknown as Client

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes], { TRILHO_OUTBOX: 'true' }, async () => temporal)
  account = await fixture.insertAccount()
})
afterAll(() => fixture.close())
afterEach(async () => {
  started.length = 0
  await fixture.orm.em.fork().execute('delete from sign_in_attempt')
})

async function user(role: 'owner' | 'viewer' = 'owner') {
  const email = `user-${++users}@trilho.test`
  const { uuid } = await addUser(fixture.orm.em.fork(), {
    email,
    password: PASSWORD,
    accountUuid: account,
    role,
  })
  return { uuid, email }
}
async function linkOf(userUuid: string) {
  const token = generateLinkToken()
  const reset = { uuid: randomUUID(), userUuid, tokenHash: hashResetToken(token), sealedMessage: null }
  await insertPasswordReset(fixture.orm.em.fork(), reset)
  return `${PATH}/${token}`
}
const actionsOf = async (uuid: string) =>
  (
    await fixture.orm.em
      .fork()
      .execute<{ action: string; actor: string }[]>(
        'select action, actor from operator_action where subject = ? order by at',
        [`user/${uuid}`],
      )
  ).map(({ action, actor }) => [action, actor])
/** A page without what is random or typed. */
const shapeOf = (text: string, email: string) =>
  text
    .replaceAll(email, 'E')
    .replaceAll(/name="_csrf" value="[^"]*"/g, '')
    .replaceAll(/nonce-[\w+/=]+/g, '')

test('the page answers the same for the e-mail of a user and any other, and looks none of them up', async () => {
  const { email } = await user()
  const answers: [number, string][] = []
  for (const one of [email, 'unknown@trilho.test']) {
    const { status, text } = await createBrowser(fixture).send(PATH, { email: ` ${one.toUpperCase()}` })
    answers.push([status, shapeOf(text, one)])
  }
  expect(answers[0]).toEqual(answers[1])
  expect(answers[0]![0]).toBe(200)
  expect(started.map(one => [one.email, one.language])).toEqual([
    [email, 'pt-BR'],
    ['unknown@trilho.test', 'pt-BR'],
  ])
  expect(started[0]!.pageUrl).toMatch(/\/dashboard\/password-reset$/)
})

test('requests are limited per e-mail, whether it is of a user or not, and sign-ins are not', async () => {
  const { email } = await user()
  for (const one of [email, 'unknown@trilho.test']) {
    const visitor = createBrowser(fixture)
    const statuses = []
    for (let times = 0; times < 4; times++) statuses.push((await visitor.send(PATH, { email: one })).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  }
  expect(started).toHaveLength(6)
  expect((await createBrowser(fixture).signIn(email, PASSWORD)).status).toBe(303)
})

test('a form without its token, or without an e-mail, starts nothing', async () => {
  const visitor = createBrowser(fixture, { language: 'en' })
  const forged = await visitor.call('POST', PATH, { form: { email: 'a@trilho.test', _csrf: 'x' } })
  const wrong = await visitor.send(PATH, { email: 'no address' })
  expect([forged.status, wrong.status, started]).toEqual([403, 422, []])
  expect(wrong.text).toContain('value="no address"')
})

test('a link sets the password once, ends all sessions, and asks for the second factor as before', async () => {
  const { uuid, email } = await user()
  const secret = generateTotpSecret()
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const author = { uuid, email, accountUuid: account }
  const { sealer } = fixture.dependencies
  const signedIn = createBrowser(fixture)
  await signedIn.signIn(email, PASSWORD)
  await enableSecondFactor(fixture.orm.em.fork(), sealer, { author, secret, code, recoveryCodes: [] })
  const [link, other] = [await linkOf(uuid), await linkOf(uuid)]
  const visitor = createBrowser(fixture)
  // A mail scanner opens it first: nothing is used up.
  expect((await createBrowser(fixture).get(link)).status).toBe(200)
  const short = await visitor.send(link, { password: 'short' })
  expect([short.status, short.text.includes('value="short"')]).toEqual([422, false])
  const both = await Promise.all([1, 2].map(() => visitor.send(link, { password: NEW_PASSWORD })))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 410])
  expect(visitor.cookies.has('trilho_session')).toBe(false)
  expect((await signedIn.get(HOME)).status).toBe(303)
  for (const used of [link, other]) expect((await visitor.get(used)).status).toBe(410)
  expect((await createBrowser(fixture).signIn(email, PASSWORD)).status).toBe(401)
  const again = await createBrowser(fixture).signIn(email, NEW_PASSWORD)
  expect(again.headers.get('location')).toBe('/dashboard/sign-in/code')
  expect((await actionsOf(uuid)).at(-1)).toEqual(['reset_password', email])
})

test('a new password lets a user in who was locked out by failures', async () => {
  const { uuid, email } = await user()
  const visitor = createBrowser(fixture)
  for (let times = 0; times < 10; times++) await visitor.signIn(email, 'a wrong password')
  expect((await visitor.signIn(email, PASSWORD)).status).toBe(429)
  expect((await visitor.send(await linkOf(uuid), { password: NEW_PASSWORD })).status).toBe(200)
  expect((await visitor.signIn(email, NEW_PASSWORD)).status).toBe(303)
})

test.each([
  ['its time is over', `update password_reset set expires_at = now() where user_uuid = ?`],
  ['its user is disabled', 'update app_user set disabled_at = now() where uuid = ?'],
  [
    'its user has another password',
    `update app_user set password_hash = password_hash || 'x' where uuid = ?`,
  ],
])('a link does not work after %s', async (_, sql) => {
  const { uuid } = await user('viewer')
  const link = await linkOf(uuid)
  const visitor = createBrowser(fixture)
  const page = await visitor.get(link)
  await fixture.orm.em.fork().execute(sql, [uuid])
  const _csrf = hiddenFieldOf(page.text, '_csrf')!
  const late = await visitor.call('POST', link, { form: { _csrf, password: NEW_PASSWORD } })
  expect([late.status, (await visitor.get(link)).status]).toEqual([410, 410])
})

test('an owner creates a link for another user, once per form, and a viewer does not', async () => {
  const [owner, member, viewer] = [await user(), await user('viewer'), await user('viewer')]
  const browser = createBrowser(fixture)
  await browser.signIn(owner.email, PASSWORD)
  const on = `/dashboard/users/${member.uuid}`
  const once = randomUUID()
  const made = await browser.send(`${on}/password-reset`, { once }, { on })
  const link = /value="[^"]*(\/dashboard\/password-reset\/[\w-]{32})"/.exec(made.text)![1]!
  const repeated = await browser.send(`${on}/password-reset`, { once }, { on })
  expect([made.status, repeated.headers.get('location')]).toEqual([200, `${on}?done=reset_there`])
  expect(await actionsOf(member.uuid)).toEqual([['start_password_reset', owner.email]])
  expect((await createBrowser(fixture).send(link, { password: NEW_PASSWORD })).status).toBe(200)
  expect((await createBrowser(fixture).signIn(member.email, NEW_PASSWORD)).status).toBe(303)

  const ownPage = `/dashboard/users/${owner.uuid}`
  expect(
    (await browser.send(`${ownPage}/password-reset`, { once: randomUUID() }, { on: ownPage })).status,
  ).toBe(404)
  expect((await browser.get(ownPage)).text).not.toContain('/password-reset"')
  const reader = createBrowser(fixture)
  await reader.signIn(viewer.email, PASSWORD)
  const refused = await reader.send(`${on}/password-reset`, { once: randomUUID() }, { on: HOME })
  expect(refused.status).toBe(403)
  const stored = await fixture.orm.em.fork().findOneOrFail(User, member.uuid)
  expect(stored.removedAt).toBeNull()
})

test('without a messaging service the page says whom to ask, and takes no request', async () => {
  const silent = await openApiFixture([dashboardRoutes], {}, async () => temporal)
  const page = await createBrowser(silent, { language: 'en' }).get(PATH)
  expect(page.text).toContain('Ask an owner of your account')
  expect(page.text).not.toContain('name="email"')
  const answer = await createBrowser(silent).send(
    PATH,
    { email: 'a@trilho.test' },
    { on: '/dashboard/sign-in' },
  )
  expect([answer.status, started]).toEqual([200, []])
  await silent.close()
})
