import type { RouteRegistrar } from '../../../src/api/app.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import type { createFullAccount } from './full-account.ts'

export type DashboardRoute = { method: 'GET' | 'POST'; path: string }
type FullAccount = Awaited<ReturnType<typeof createFullAccount>>

/** Registers the dashboard, and keeps its routes as the router has them, so that a test cannot forget a page. */
export function recordDashboardRoutes(): { register: RouteRegistrar; routes: DashboardRoute[] } {
  const routes: DashboardRoute[] = []
  return {
    routes,
    register(router, dependencies) {
      dashboardRoutes(router, dependencies)
      for (const { path, methods } of router.koa.stack)
        for (const method of ['GET', 'POST'] as const)
          if (methods.includes(method) && isPage(String(path))) routes.push({ method, path: String(path) })
    },
  }
}

/** Without what has no session: the sign-in, the public pages and the assets. */
function isPage(path: string): boolean {
  return (
    path.startsWith('/dashboard') &&
    !/^\/dashboard\/(sign-in|assets|invitation\/|password-reset|\*)/.test(path)
  )
}

export const isOperatorRoute = ({ path }: DashboardRoute) => path.startsWith('/dashboard/operator')

/** An object of the account for each parameter: by its name, else by the noun before it. */
const OBJECTS: Record<string, (of: FullAccount) => string> = {
  accounts: of => of.account,
  connections: of => of.connection,
  transfer: of => of.unknown,
  refund: of => of.refund,
  reports: of => of.report,
  reconciliations: of => of.connection,
  return: of => of.unmatched,
  charges: of => of.charge,
  recurrences: of => of.recurrence,
  transfers: of => of.transfer,
  batches: of => of.batch,
  'qr-codes': of => of.qrCode,
  disputes: of => of.dispute,
  webhooks: of => of.webhook,
  deliveries: of => of.delivery,
  events: of => of.event,
  refunds: of => of.refund,
  keys: of => of.pixKey,
  unmatched: of => of.unmatched,
  tokens: of => of.token,
  users: of => of.user,
  invitations: of => of.invitation,
  differences: of => of.difference,
  sessions: of => of.user,
}

/** The path with objects of the account in place of its parameters. */
export function fillPath({ path }: DashboardRoute, account: FullAccount): string {
  return path.replaceAll(/([^/]+)\/:(\w+)/g, (_, noun: string, name: string) => {
    const find = OBJECTS[name] ?? OBJECTS[noun]
    if (!find) throw new Error(`Give ${path} an object of the account for :${name}.`)
    return `${noun}/${find(account)}`
  })
}
