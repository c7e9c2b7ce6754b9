import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { addUser, disableUser } from '../../../src/admin/users.ts'
import type { ServerRouter } from '../../../src/dashboard/http/dashboard-context.ts'
import type { DeclaredRoute } from '../../../src/dashboard/http/router.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { ACCOUNT_ROLES, type AccountRole, roleHasPermission } from '../../../src/domain/users/roles.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf, hiddenFieldsOf } from '../support/browser.ts'
import { createFullAccount, MALICIOUS_TEXT, PASSWORD } from '../support/full-account.ts'

describe('users', () => {
  /** Users of an account: invitations, roles, removal, and the last owner. */

  const PASSWORD = 'a long enough password'
  const USERS = '/dashboard/users'
  type Browser = ReturnType<typeof createBrowser>
  let fixture: ApiFixture
  let account: string
  let owner: Browser
  let ownerUuid: string
  let users = 0

  const sql = <T extends object>(text: string, values: unknown[] = []) =>
    fixture.orm.em.fork().execute<T[]>(text, values)

  beforeAll(async () => {
    fixture = await openApiFixture([dashboardRoutes])
  })
  afterAll(() => fixture.close())
  beforeEach(async () => {
    account = await fixture.insertAccount()
    const member = await addMember('owner')
    owner = member.browser
    ownerUuid = member.uuid
  })
  afterEach(async () => void (await sql('delete from sign_in_attempt')))

  async function addMember(role: AccountRole, accountUuid = account) {
    const email = `member-${++users}@trilho.test`
    const { uuid } = await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid, role })
    const browser = createBrowser(fixture, { language: 'en' })
    await browser.signIn(email, PASSWORD)
    return { uuid, email, browser }
  }

  /** Invites by the owner's form, and returns the link's path as the page shows it once. */
  async function invite(email: string, role: AccountRole = 'finance', once: string = randomUUID()) {
    const answer = await owner.send(`${USERS}/invitations`, { email, role, once }, { on: USERS })
    return { answer, path: /\/dashboard\/invitation\/[\w-]{32}/.exec(answer.text)?.[0] ?? '' }
  }

  const accept = (browser: Browser, path: string, fields: Record<string, string> = {}) =>
    browser.send(path, { name: 'Bia Souza', password: PASSWORD, ...fields })

  describe('an invitation', () => {
    test('is a link that is shown once, and stored as a hash; who opens it sets name and password, and is signed in', async () => {
      const { answer, path } = await invite('Bia@Loja.test')
      expect(answer.status).toBe(200)
      expect((await owner.get(USERS)).text).not.toContain(path)
      const rows = await sql<{ email: string }>('select * from user_invitation where account_uuid = ?', [
        account,
      ])
      expect(rows).toMatchObject([{ email: 'bia@loja.test', role: 'finance' }])
      expect(JSON.stringify(rows)).not.toContain(path.split('/').at(-1))

      const browser = createBrowser(fixture, { language: 'en' })
      const page = await browser.get(path)
      expect([page.status, page.headers.get('referrer-policy'), page.headers.get('x-robots-tag')]).toEqual([
        ...[200, 'no-referrer', 'noindex, nofollow'],
      ])
      const joined = await accept(browser, path)
      expect([joined.status, joined.headers.get('location')]).toEqual([
        303,
        '/dashboard?done=invitation_accepted',
      ])
      expect((await browser.get('/dashboard/transfers/new')).status).toBe(200)
      expect((await browser.get(USERS)).status).toBe(403)
      expect((await owner.get(USERS)).text).toContain('Bia Souza')
    })

    test('works once: a second use, and a form sent twice, create nothing more', async () => {
      const { path } = await invite('bia@loja2.test')
      const [first, second] = [createBrowser(fixture), createBrowser(fixture)]
      const answers = await Promise.all([accept(first, path), accept(second, path)])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 410])
      expect((await createBrowser(fixture).get(path)).status).toBe(410)
      expect(await sql(`select from app_user where email = 'bia@loja2.test'`)).toHaveLength(1)
    })

    test('is refused when it is expired, revoked, unknown, or of a blocked account', async () => {
      const expired = await invite('expired@loja.test')
      await sql(`update user_invitation set expires_at = now() where account_uuid = ?`, [account])
      const revoked = await invite('revoked@loja.test')
      const [{ uuid }] = (await sql(
        `select uuid from user_invitation where email = 'revoked@loja.test'`,
      )) as [{ uuid: string }]
      const done = await owner.confirm(`${USERS}/invitations/${uuid}/revoke`, {}, { on: USERS })
      expect(done.headers.get('location')).toContain('invitation_revoked')
      const again = await owner.confirm(`${USERS}/invitations/${uuid}/revoke`, {}, { on: USERS })
      expect(again.headers.get('location')).toContain('invitation_closed')
      for (const { path } of [expired, revoked]) {
        const browser = createBrowser(fixture)
        expect((await browser.get(path)).status).toBe(410)
        expect((await accept(browser, path)).status).toBe(410)
      }
      expect((await createBrowser(fixture).get(`/dashboard/invitation/${'x'.repeat(32)}`)).status).toBe(404)
      const blocked = await invite('blocked@loja.test')
      await sql(`update account set status = 'BLOCKED' where uuid = ?`, [account])
      expect((await createBrowser(fixture).get(blocked.path)).status).toBe(410)
      expect(await sql(`select from app_user where email like '%ed@loja.test'`)).toEqual([])
    })

    test('to the same e-mail replaces the earlier one; the same form sent twice creates one', async () => {
      const once = randomUUID()
      const first = await invite('twice@loja.test', 'viewer', once)
      const repeated = await invite('twice@loja.test', 'viewer', once)
      expect(repeated.answer.headers.get('location')).toContain('invitation_there')
      const next = await invite('twice@loja.test')
      expect((await createBrowser(fixture).get(first.path)).status).toBe(410)
      expect((await createBrowser(fixture).get(next.path)).status).toBe(200)
    })

    test.each<[what: string, fields: Record<string, string>]>([
      ['no address', { email: 'loja.test' }],
      ['an unknown role', { role: 'operator' }],
      ['a user who exists', { email: 'EXISTS@loja.test' }],
      ['a NUL', { email: 'a\0@loja.test' }],
    ])('is not created for %s, and the form keeps what was typed', async (_what, fields) => {
      await addUser(fixture.orm.em.fork(), {
        email: 'exists@loja.test',
        password: PASSWORD,
        accountUuid: account,
      }).catch(() => {})
      const form = { email: 'new@loja.test', role: 'viewer', once: randomUUID(), ...fields }
      const refused = await owner.send(`${USERS}/invitations`, form, { on: USERS })
      expect(refused.status).toBe(422)
      expect(await sql('select from user_invitation where account_uuid = ?', [account])).toEqual([])
    })

    test('shows hostile names escaped, and refuses a short password without losing the name', async () => {
      await sql('update account set name = ? where uuid = ?', [MALICIOUS_TEXT, account])
      const { path } = await invite(`hostile-${users}@loja.test`)
      const browser = createBrowser(fixture)
      const refused = await accept(browser, path, { name: MALICIOUS_TEXT, password: 'short' })
      expect([refused.status, refused.text.includes('<script>')]).toEqual([422, false])
      expect(refused.text).toContain('&#60;script&#62;')
      expect((await accept(browser, path, { name: MALICIOUS_TEXT })).status).toBe(303)
      for (const page of [await owner.get(USERS), await browser.get('/dashboard/profile')])
        expect(page.text).not.toMatch(/<script>|<img src=x/)
    })

    test('needs the token of its page', async () => {
      const { path } = await invite(`csrf-${users}@loja.test`)
      const form = { name: 'Bia', password: PASSWORD }
      expect((await createBrowser(fixture).call('POST', path, { form })).status).toBe(403)
    })
  })

  describe('a user of the account', () => {
    test('gets another role after a confirmation, which ends the sessions at once and is recorded', async () => {
      const member = await addMember('viewer')
      const question = await owner.send(`${USERS}/${member.uuid}/role`, { role: 'finance' }, { on: USERS })
      expect(question.text).toContain('Change to Finance')
      expect((await member.browser.get('/dashboard')).status).toBe(200)
      const answer = await owner.call('POST', `${USERS}/${member.uuid}/role`, {
        form: hiddenFieldsOf(question.text),
      })
      expect([answer.status, answer.headers.get('location')]).toEqual([
        ...[303, `${USERS}/${member.uuid}?done=role_changed`],
      ])
      expect((await member.browser.get('/dashboard')).status).toBe(303)
      const page = await owner.get(`${USERS}/${member.uuid}`)
      expect(page.text).toContain('Changed the role to finance')
      expect(
        await sql('select actor, action from operator_action where subject = ?', [`user/${member.uuid}`]),
      ).toEqual([{ actor: expect.stringContaining('member-'), action: 'make_finance' }])
    })

    test('gives a live token no scope that the own role lacks, and a token for tests any', async () => {
      const { browser: developer } = await addMember('developer')
      const on = '/dashboard/tokens'
      const issue = async (by: Browser, mode: string, scopes: string, once: string = randomUUID()) =>
        (await by.send(on, { name: 'loja', mode, scopes, once })).status
      expect(await issue(developer, 'live', 'transfers')).toBe(422)
      expect(await issue(developer, 'live', 'webhooks')).toBe(200)
      expect(await issue(developer, 'test', 'transfers')).toBe(200)
      // A token of an owner keeps what it has when its addresses change, and gets no more.
      const uuid = randomUUID()
      expect(await issue(owner, 'live', 'transfers', uuid)).toBe(200)
      const change = async (scopes: string) =>
        (await developer.send(`${on}/${uuid}/permissions`, { scopes }, { on: `${on}/${uuid}` })).status
      expect([await change('refunds'), await change('transfers')]).toEqual([422, 303])
    })

    test('is removed after a confirmation: no sign-in, no session, and the e-mail may be invited again', async () => {
      const member = await addMember('developer')
      expect((await owner.confirm(`${USERS}/${member.uuid}/remove`, {}, { on: USERS })).status).toBe(303)
      expect((await member.browser.get('/dashboard')).status).toBe(303)
      expect((await createBrowser(fixture).signIn(member.email, PASSWORD)).status).toBe(401)
      expect((await owner.get(`${USERS}/${member.uuid}`)).status).toBe(404)
      expect((await owner.get(USERS)).text).toContain('Removed a user')
      const { path } = await invite(member.email)
      expect((await accept(createBrowser(fixture), path)).status).toBe(303)
      expect((await owner.confirm(`${USERS}/${member.uuid}/remove`, {}, { on: USERS })).status).toBe(303)
    })

    test('of another account is not found, and an account shows only its own users', async () => {
      const stranger = await addMember('viewer', await fixture.insertAccount())
      for (const act of ['role', 'remove', 'totp']) {
        const path = `${USERS}/${stranger.uuid}/${act}`
        const { status } = await owner.confirm(path, { role: 'owner' }, { on: USERS })
        expect([act, status]).toEqual([act, 404])
      }
      expect((await owner.get(`${USERS}/${stranger.uuid}`)).status).toBe(404)
      expect(await sql('select role, removed_at from app_user where uuid = ?', [stranger.uuid])).toEqual([
        { role: 'viewer', removed_at: null },
      ])
      expect((await owner.get(USERS)).text).not.toContain(stranger.email)
    })

    test('whose role another owner changed meanwhile is confirmed once more, with the change', async () => {
      const member = await addMember('viewer')
      const question = await owner.send(`${USERS}/${member.uuid}/role`, { role: 'finance' }, { on: USERS })
      const other = await addMember('owner')
      await other.browser.confirm(`${USERS}/${member.uuid}/role`, { role: 'developer' }, { on: USERS })
      const answer = await owner.call('POST', `${USERS}/${member.uuid}/role`, {
        form: hiddenFieldsOf(question.text),
      })
      expect(answer.status).toBe(200)
      expect(answer.text).toMatch(/<del>Viewer<\/del> → <ins>Developer<\/ins>/)
      expect(hiddenFieldOf(answer.text, 'seen_role')).toBe('developer')
    })
  })

  describe('the last owner', () => {
    test('cannot be demoted or removed, whoever asks', async () => {
      for (const [act, form] of [
        ['role', { role: 'viewer' }],
        ['remove', {}],
      ] as const) {
        const answer = await owner.confirm(`${USERS}/${ownerUuid}/${act}`, form, { on: USERS })
        expect([answer.status, answer.text.includes('keeps one owner')]).toEqual([409, true])
      }
      expect((await owner.get(USERS)).status).toBe(200)
    })

    test('is the one who can sign in: a disabled owner does not count', async () => {
      const disabled = await addMember('owner')
      await disableUser(fixture.orm.em.fork(), disabled.email)
      expect((await owner.confirm(`${USERS}/${ownerUuid}/remove`, {}, { on: USERS })).status).toBe(409)
      expect((await owner.confirm(`${USERS}/${disabled.uuid}/remove`, {}, { on: USERS })).status).toBe(303)
    })

    test('stays when two owners remove each other at once', async () => {
      const other = await addMember('owner')
      const answers = await Promise.all([
        owner.confirm(`${USERS}/${other.uuid}/remove`, {}, { on: USERS }),
        other.browser.confirm(`${USERS}/${ownerUuid}/remove`, {}, { on: USERS }),
      ])
      expect(answers.filter(({ headers }) => headers.get('location')?.includes('user_removed'))).toHaveLength(
        1,
      )
      expect(
        await sql('select from app_user where account_uuid = ? and removed_at is null', [account]),
      ).toHaveLength(1)
    })

    test('is held by PostgreSQL too, under a lock', async () => {
      const other = await addMember('owner')
      const changes = await Promise.allSettled([
        sql(`update app_user set role = 'viewer' where uuid = ?`, [ownerUuid]),
        sql(`update app_user set removed_at = now() where uuid = ?`, [other.uuid]),
      ])
      expect(changes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      await expect(
        sql(`update app_user set role = 'viewer' where account_uuid = ? and role = 'owner'`, [account]),
      ).rejects.toThrow(/would have no owner/)
    })
  })
})

describe('roles', () => {
  /** Walks every route of the dashboard by each role, and compares what it gets with the declared permission. */

  /** Pages without a session, each with its own reason. */
  const PUBLIC_PATHS = [/^\/dashboard\/(sign-in|assets|password-reset)/, /^\/dashboard\/invitation\//]
  const REFUSED = 'Your role does not permit this.'

  let fixture: ApiFixture
  let declared: DeclaredRoute[] = []
  let router: ServerRouter
  let ours: Awaited<ReturnType<typeof createFullAccount>>
  type Browser = ReturnType<typeof createBrowser>
  const browsers = new Map<AccountRole | 'operator', Browser>()

  beforeAll(async () => {
    fixture = await openApiFixture([
      (serverRouter, dependencies) => {
        router = serverRouter
        declared = dashboardRoutes(serverRouter, dependencies)
      },
    ])
    ours = await createFullAccount(fixture)
    const em = fixture.orm.em.fork()
    for (const role of ACCOUNT_ROLES)
      await addUser(em, { email: `${role}@trilho.test`, password: PASSWORD, accountUuid: ours.account, role })
    await addUser(em, { email: 'operator@trilho.test', password: PASSWORD, accountUuid: null })
    for (const role of [...ACCOUNT_ROLES, 'operator'] as const) {
      const browser = createBrowser(fixture, { language: 'en' })
      await browser.signIn(`${role}@trilho.test`, PASSWORD)
      browsers.set(role, browser)
    }
  })
  afterAll(() => fixture.close())

  /** The address of a route, with the identifiers of the account's own objects. */
  function addressOf({ path }: DeclaredRoute): string {
    const uuids: Record<string, string> = {
      charges: ours.charge,
      recurrences: ours.recurrence,
      transfers: ours.transfer,
      disputes: ours.dispute,
      webhooks: ours.webhook,
      events: ours.event,
      refunds: ours.refund,
      unmatched: ours.unmatched,
      keys: ours.pixKey,
      users: ours.user,
    }
    return path
      .replace(':uuid', uuids[path.split('/')[2]!] ?? randomUUID())
      .replace('*rest', 'nowhere')
      .replace(/:\w+/g, () => randomUUID())
  }

  /** Requests a route without the token of its form: a form that the role may send is then expired. */
  const visit = (browser: Browser, route: DeclaredRoute) =>
    browser.call(route.method, addressOf(route), route.method === 'POST' ? { form: {} } : {})

  const forAccounts = () => declared.filter(({ permission }) => !['any', 'operator'].includes(permission))
  const nameOf = ({ method, path, permission }: DeclaredRoute) => `${method} ${path} (${permission})`

  test('every route of the dashboard declares a permission', () => {
    expect(declared.length).toBeGreaterThan(80)
    const served = router.koa.stack.flatMap(layer =>
      layer.methods
        .filter(method => method !== 'HEAD')
        .map(method => ({ method, path: String(layer.path) }))
        .filter(({ path }) => path.startsWith('/dashboard') && !PUBLIC_PATHS.some(one => one.test(path))),
    )
    const names = new Set(declared.map(({ method, path }) => `${method} ${path}`))
    expect(served.filter(({ method, path }) => !names.has(`${method} ${path}`))).toEqual([])
  })

  describe.each(ACCOUNT_ROLES)('%s', role => {
    const may = ({ permission }: DeclaredRoute) =>
      permission === 'any' || (permission !== 'operator' && roleHasPermission(role, permission))

    test('gets what its permissions allow, and 403 with the roles that may for the rest', async () => {
      const wrong: string[] = []
      for (const route of forAccounts()) {
        const { status, text } = await visit(browsers.get(role)!, route)
        const isRefused = text.includes(REFUSED)
        if (isRefused === may(route) || (isRefused && !(status === 403 && text.includes('Owner'))))
          wrong.push(`${nameOf(route)}: ${status}`)
        if (!isRefused && status >= 500) wrong.push(`${nameOf(route)}: ${status}`)
      }
      expect(wrong).toEqual([])
    })

    test('finds no operator’s page', async () => {
      const wrong: string[] = []
      for (const route of declared.filter(({ permission }) => permission === 'operator')) {
        const { status } = await visit(browsers.get(role)!, route)
        if (status !== 404) wrong.push(`${nameOf(route)}: ${status}`)
      }
      expect(wrong).toEqual([])
    })

    test('is shown no form and no link that it may not use', async () => {
      const wrong: string[] = []
      let forms = 0
      for (const route of declared.filter(one => one.method === 'GET' && may(one))) {
        const { text } = await visit(browsers.get(role)!, route)
        const used = [
          ...[...text.matchAll(/<form [^>]*method="post"[^>]* action="([^"?]*)/g)].map(
            ([, path]) => ['POST', path!] as const,
          ),
          ...[...text.matchAll(/<a [^>]*href="(\/dashboard[^"?#]*)/g)].map(
            ([, path]) => ['GET', path!] as const,
          ),
        ]
        for (const [method, path] of used) {
          const target = declared.find(one => one.method === method && patternOf(one.path).test(path))
          if (target && !may(target)) wrong.push(`${nameOf(route)}: ${method} ${path}`)
          if (method === 'POST') forms++
        }
      }
      expect(wrong).toEqual([])
      expect(forms).toBeGreaterThan(10)
    })
  })

  test('an operator without an opened account finds no page of a merchant', async () => {
    const wrong: string[] = []
    for (const route of forAccounts()) {
      const { status } = await visit(browsers.get('operator')!, route)
      if (status !== 404) wrong.push(`${nameOf(route)}: ${status}`)
    }
    expect(wrong).toEqual([])
  })

  test('without a session every route leads to the sign-in', async () => {
    const wrong: string[] = []
    for (const route of declared) {
      const { status, headers } = await visit(createBrowser(fixture), route)
      if (status !== 303 || !headers.get('location')?.startsWith('/dashboard/sign-in'))
        wrong.push(`${nameOf(route)}: ${status}`)
    }
    expect(wrong).toEqual([])
  })

  function patternOf(path: string): RegExp {
    return new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('*rest', '.*')}$`)
  }
})
