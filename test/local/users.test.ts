import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { resetDashboardLogins } from '../../packages/dev/demo/demo-logins.ts'
import { createAccount } from '../../src/admin/accounts.ts'
import { addUser, disableUser, enableUser, setPassword } from '../../src/admin/users.ts'
import type { Orm } from '../../src/db/client/orm.ts'
import { User } from '../../src/db/entities/user.ts'
import { verifyPassword } from '../../src/security/passwords.ts'
import { createTestDatabase } from '../support/database.ts'
import { openTestOrm } from '../support/orm.ts'

let databaseUrl: string
let orm: Orm
let accountUuid: string
beforeAll(async () => {
  databaseUrl = await createTestDatabase()
  orm = await openTestOrm({ databaseUrl })
  accountUuid = (await createAccount(em(), { name: 'Loja', document: '11222333000181' })).uuid
})
afterAll(async () => {
  await orm?.close()
})

const em = () => orm.em.fork()
const stored = (email: string) => em().findOneOrFail(User, { email }, { populate: ['passwordHash'] })

test('a user of an account is an owner or has the given role, one without an account is an operator; the password is stored as Argon2id only', async () => {
  await addUser(em(), { email: ' Ana@Loja.test', password: 'correct horse battery', accountUuid })
  await addUser(em(), { email: 'op@trilho.test', password: 'correct horse battery', accountUuid: null })
  const ana = await stored('ana@loja.test')
  expect(ana).toMatchObject({ accountUuid, role: 'owner', disabledAt: null })
  await addUser(em(), {
    email: 'fin@loja.test',
    password: 'correct horse battery',
    accountUuid,
    role: 'finance',
  })
  expect(await stored('fin@loja.test')).toMatchObject({ accountUuid, role: 'finance' })
  expect(await stored('op@trilho.test')).toMatchObject({ accountUuid: null, role: 'operator' })
  expect(ana.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword('correct horse battery', ana.passwordHash)).toBe(true)
  expect(await verifyPassword('correct horse batterY', ana.passwordHash)).toBe(false)
  expect(await verifyPassword('correct horse battery', null)).toBe(false)
})

test('a new password replaces the old one; a user can be disabled and enabled again', async () => {
  await addUser(em(), { email: 'bia@loja.test', password: 'correct horse battery', accountUuid })
  await setPassword(em(), 'BIA@loja.test', 'staple staple staple')
  const { passwordHash } = await stored('bia@loja.test')
  expect(await verifyPassword('correct horse battery', passwordHash)).toBe(false)
  expect(await verifyPassword('staple staple staple', passwordHash)).toBe(true)
  await disableUser(em(), 'bia@loja.test')
  expect((await stored('bia@loja.test')).disabledAt).toBeInstanceOf(Date)
  await enableUser(em(), 'bia@loja.test')
  expect((await stored('bia@loja.test')).disabledAt).toBeNull()
})

describe('an invalid user', () => {
  test.each<[what: string, change: () => Promise<unknown>, why: RegExp]>([
    ['a short password', () => add({ password: 'elevenchars' }), /at least 12/],
    ['no address', () => add({ email: 'loja.test' }), /is not an e-mail address/],
    ['an unknown user', () => setPassword(em(), 'nobody@loja.test', 'correct horse battery'), /no user/],
    ['disabling an unknown user', () => disableUser(em(), 'nobody@loja.test'), /no user/],
  ])('%s', async (_what, change, why) => {
    await expect(change()).rejects.toThrow(why)
  })

  test('with an existing e-mail, in any case', async () => {
    await add({ email: 'caio@loja.test' })
    await expect(add({ email: 'CAIO@loja.test' })).rejects.toThrow(/already/)
  })

  test.each<[what: string, columns: string, values: string]>([
    ['an operator with an account', 'role, account_uuid', `'operator', (select uuid from account limit 1)`],
    ['an owner without one', 'role, account_uuid', `'owner', null`],
  ])('%s, by the database too', async (_what, columns, values) => {
    const insert = em().execute(
      `insert into app_user (uuid, email, password_hash, ${columns}) values (gen_random_uuid(), 'x@y.test', '$argon2id$x', ${values})`,
    )
    await expect(insert).rejects.toThrow(/app_user_account/)
  })

  test('with a plain password, by the database too', async () => {
    const insert = em().execute(
      `insert into app_user (uuid, email, password_hash, role) values (gen_random_uuid(), 'x@y.test', 'secret', 'operator')`,
    )
    await expect(insert).rejects.toThrow(/app_user_password_hash/)
  })
})

test('the demo’s passwords are new at every start', async () => {
  const first = await resetDashboardLogins(em(), accountUuid)
  const second = await resetDashboardLogins(em(), accountUuid)
  expect(second.dashboard.email).toBe(first.dashboard.email)
  for (const who of ['dashboard', 'operator'] as const) {
    const { passwordHash, role } = await stored(second[who].email)
    expect(role).toBe(who === 'dashboard' ? 'owner' : 'operator')
    expect(await verifyPassword(first[who].password, passwordHash)).toBe(false)
    expect(await verifyPassword(second[who].password, passwordHash)).toBe(true)
  }
})

function add(order: { email?: string; password?: string }) {
  return addUser(em(), { email: 'x@loja.test', password: 'correct horse battery', accountUuid, ...order })
}
