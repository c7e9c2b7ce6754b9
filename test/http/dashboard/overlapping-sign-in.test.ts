import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { hash } from '@node-rs/argon2'
import { Secret, TOTP } from 'otpauth'
import { changeAccount } from '../../../src/admin/accounts.ts'
import { enableSecondFactor } from '../../../src/admin/second-factor.ts'
import { addUser, disableUser, enableUser, resetTotp, setPassword } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { User } from '../../../src/db/entities/user.ts'
import { UserTotp } from '../../../src/db/entities/user-totp.ts'
import { revokeUserSessions } from '../../../src/db/repositories/dashboard-sessions.ts'
import { generateTotpSecret } from '../../../src/security/totp.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'

/** A sign-in, or a form with the present password, whose user changes after the password was compared. */

const PASSWORD = 'a long enough password'
const NEW_PASSWORD = 'another long password'
const PROFILE = '/dashboard/profile'
const CODE = '/dashboard/sign-in/code'

let fixture: ApiFixture
let account: string
let users = 0
let email: string
let uuid: string
let secret: string

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  account = await fixture.insertAccount()
})
afterAll(() => fixture.close())
beforeEach(async () => {
  email = `overlap-${++users}@trilho.test`
  const em = fixture.orm.em.fork()
  uuid = (await addUser(em, { email, password: PASSWORD, accountUuid: account })).uuid
  const passwordHash = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 })
  await em.nativeUpdate(User, { uuid }, { passwordHash })
  secret = generateTotpSecret()
})
afterEach(async () => void (await fixture.orm.em.fork().execute('delete from sign_in_attempt')))

// A code is made and checked within the same step of 30 s, however long its form takes.
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.now()))
afterEach(() => void jest.restoreAllMocks())

/** Code of the user's authenticator; each is accepted once, so that the test takes another one than the enrolment. */
const codeOf = (steps: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
const enableTotp = (em: EntityManager) =>
  enableSecondFactor(em, fixture.dependencies.sealer, {
    author: { uuid, email, accountUuid: account },
    secret,
    code: codeOf(-1),
    recoveryCodes: [],
  })

/** Sends a request that waits for its account to be read, after the password was compared, and commits a change of the user meanwhile. */
async function changeMeanwhile<T>(
  request: () => Promise<T>,
  change: (tx: EntityManager) => Promise<unknown>,
): Promise<T> {
  const { answer } = await fixture.orm.em.fork().transactional(async tx => {
    await tx.execute(`lock table account in access exclusive mode`)
    const answer = request()
    await waitForWaiter("relation = 'account'::regclass")
    await change(tx)
    return { answer }
  })
  return answer
}

/** Waits until a session of the database waits for such a lock. */
async function waitForWaiter(lock: string): Promise<void> {
  const em = fixture.orm.em.fork()
  const sql = `select 1 from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted and a.datname = current_database() and l.${lock}`
  while ((await em.execute<object[]>(sql)).length === 0);
}

const countSessions = async () =>
  (
    await fixture.orm.em
      .fork()
      .execute<object[]>('select from dashboard_session where user_uuid = ? and revoked_at is null', [uuid])
  ).length

const CHANGES: [string, (tx: EntityManager) => Promise<unknown>][] = [
  ['the password is replaced', tx => setPassword(tx, email, NEW_PASSWORD)],
  ['the user is disabled', tx => disableUser(tx, email)],
  [
    'the user is disabled and enabled by another password',
    async tx => {
      await disableUser(tx, email)
      await setPassword(tx, email, NEW_PASSWORD)
      await enableUser(tx, email)
    },
  ],
  ['the user is removed', tx => tx.nativeUpdate(User, { uuid }, { removedAt: new Date() })],
]

test.each(CHANGES)('a sign-in fails as by a wrong password where meanwhile %s', async (_, change) => {
  const browser = createBrowser(fixture)
  const answer = await changeMeanwhile(() => browser.signIn(email, PASSWORD), change)
  expect([answer.status, browser.cookies.has('trilho_session'), await countSessions()]).toEqual([
    401,
    false,
    0,
  ])
})

test.each([
  ...CHANGES,
  ['the second factor is removed by an operator', (tx: EntityManager) => resetTotp(tx, email)] as const,
  [
    'the second factor is another one',
    async (tx: EntityManager) => {
      await tx.nativeDelete(UserTotp, { userUuid: uuid })
      await enableTotp(tx)
    },
  ] as const,
])('the second step of a sign-in fails where meanwhile %s', async (_, change) => {
  await enableTotp(fixture.orm.em.fork())
  const browser = createBrowser(fixture)
  expect((await browser.signIn(email, PASSWORD)).headers.get('location')).toBe(CODE)
  const answer = await changeMeanwhile(() => browser.send(CODE, { code: codeOf(0) }), change)
  expect([answer.status, browser.cookies.has('trilho_session'), await countSessions()]).toEqual([
    401,
    false,
    0,
  ])
})

/** Sends a request while a change of the user is not committed, and commits it once the request waits for the user's row. */
async function changeUncommitted<T>(
  change: (tx: EntityManager) => Promise<unknown>,
  request: () => Promise<T>,
): Promise<T> {
  const { answer } = await fixture.orm.em.fork().transactional(async tx => {
    await change(tx)
    await tx.flush()
    const answer = request()
    await waitForWaiter(`locktype = 'transactionid'`)
    return { answer }
  })
  return answer
}

test.each<[string, (tx: EntityManager) => Promise<unknown>]>([
  [
    'a block of its account',
    tx =>
      changeAccount(tx, { actor: 'ana', reason: 'a drill', uuid: account, change: { status: 'BLOCKED' } }),
  ],
  ['the enrolment of a second factor', enableTotp],
])('a sign-in waits for %s that is not committed, and fails', async (_, change) => {
  const answer = await changeUncommitted(change, () => createBrowser(fixture).signIn(email, PASSWORD))
  await fixture.orm.em.fork().execute(`update account set status = 'ACTIVE' where uuid = ?`, [account])
  expect([answer.status, await countSessions()]).toEqual([401, 0])
})

test.each<[string, string, () => Record<string, string>]>([
  ['the password', `${PROFILE}/password`, () => ({ password: 'a password of a stranger' })],
  ['a second factor', `${PROFILE}/second-factor`, () => ({ code: codeOf(0), enrolment: sealEnrolment() })],
])('a form with an older password does not change %s after a new one is set', async (_, path, fields) => {
  const browser = createBrowser(fixture)
  await browser.signIn(email, PASSWORD)
  const reset = async (tx: EntityManager) => {
    await setPassword(tx, email, NEW_PASSWORD)
    await revokeUserSessions(tx, { uuid })
  }
  const page = await browser.get(PROFILE)
  const form = { _csrf: hiddenFieldOf(page.text, '_csrf')!, current_password: PASSWORD, ...fields() }
  const answer = await changeUncommitted(reset, () => browser.call('POST', path, { form }))
  expect(answer.status).toBe(422)
  const signIn = await createBrowser(fixture).signIn(email, NEW_PASSWORD)
  expect(signIn.headers.get('location')).toBe('/dashboard')
})

function sealEnrolment(): string {
  const enrolment = { kind: 'totp-enrolment', userUuid: uuid, secret, recoveryCodes: [] }
  return fixture.dependencies.sealer.seal({ ...enrolment, endsAtMs: Date.now() + 60_000 })
}
