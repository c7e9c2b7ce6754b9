import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import type { ServerRouter } from '../../../src/dashboard/http/dashboard-context.ts'
import type { DeclaredRoute } from '../../../src/dashboard/http/router.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { ACCOUNT_ROLES, type AccountRole, roleHasPermission } from '../../../src/domain/users/roles.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

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
