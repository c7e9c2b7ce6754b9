import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import type { ProviderRegistry } from '../../../src/providers/registry.ts'
import { type ApiFixture, openApiFixture } from './api-fixture.ts'
import { createBrowser } from './browser.ts'
import { PASSWORD } from './full-account.ts'

export const OPERATOR_EMAIL = 'op@trilho.test'

/** What the bank answers in a test, how often it was asked for the account, and the URLs that it was given for notifications. */
type ScriptedBank = { identity: object; registration: object; identifications: number; registered: string[] }

type OperatorDashboard = {
  fixture: ApiFixture
  operator: ReturnType<typeof createBrowser>
  /** Begins each test anew: it names another account, and registers any URL. */
  bank: ScriptedBank
}

/** Opens the dashboard of an operator, over a bank that has 123.45 reais, for the tests of a file. */
export function useOperatorDashboard(): OperatorDashboard {
  const dashboard = {} as OperatorDashboard
  const providers = {
    providerFor: () => ({
      identity: async () => {
        dashboard.bank.identifications += 1
        return dashboard.bank.identity
      },
      registerNotificationUrl: async (url: string) => {
        dashboard.bank.registered.push(url)
        return dashboard.bank.registration
      },
      balances: async () => ({ kind: 'found', balance: { availableCents: 12_345, blockedCents: 0 } }),
      statement: async () => ({ kind: 'found', entries: [] }),
    }),
    close: async () => undefined,
  } as unknown as ProviderRegistry

  beforeAll(async () => {
    dashboard.fixture = await openApiFixture([
      (router, dependencies) => dashboardRoutes(router, { ...dependencies, providers }),
    ])
    const { em } = dashboard.fixture.orm
    await addUser(em.fork(), { email: OPERATOR_EMAIL, password: PASSWORD, accountUuid: null })
    dashboard.operator = createBrowser(dashboard.fixture, { language: 'en' })
    await dashboard.operator.signIn(OPERATOR_EMAIL, PASSWORD)
  })
  afterAll(() => dashboard.fixture?.close())
  beforeEach(() => {
    dashboard.bank = {
      identity: { kind: 'found', id: randomUUID() },
      registration: { kind: 'registered' },
      identifications: 0,
      registered: [],
    }
  })
  return dashboard
}
