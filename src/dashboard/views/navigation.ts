import type { UserRole } from '../../db/entities/user.ts'
import type { DashboardSession } from '../../db/repositories/dashboard-sessions.ts'
import type { IconName } from './icons.ts'

/** Menu entries per role, in order; the phrase `nav.<name>` names each. */
const MENUS: Record<UserRole, { name: string; path: string; icon: IconName }[]> = {
  merchant: [
    { name: 'overview', path: '/dashboard', icon: 'overview' },
    { name: 'charges', path: '/dashboard/charges', icon: 'in' },
    { name: 'transfers', path: '/dashboard/transfers', icon: 'out' },
    { name: 'disputes', path: '/dashboard/disputes', icon: 'dispute' },
    { name: 'held', path: '/dashboard/unmatched', icon: 'in' },
    { name: 'keys', path: '/dashboard/keys', icon: 'key' },
    { name: 'ledger', path: '/dashboard/ledger', icon: 'ledger' },
    { name: 'providers', path: '/dashboard/providers', icon: 'providers' },
    { name: 'tokens', path: '/dashboard/tokens', icon: 'token' },
    { name: 'webhooks', path: '/dashboard/webhooks', icon: 'webhooks' },
    { name: 'events', path: '/dashboard/events', icon: 'events' },
  ],
  operator: [
    { name: 'operator', path: '/dashboard/operator', icon: 'overview' },
    { name: 'accounts', path: '/dashboard/operator/accounts', icon: 'search' },
    { name: 'unknown', path: '/dashboard/operator/unknown', icon: 'dispute' },
    { name: 'stuck', path: '/dashboard/operator/stuck', icon: 'events' },
    { name: 'unexpected', path: '/dashboard/operator/unexpected', icon: 'out' },
    { name: 'unmatched', path: '/dashboard/operator/unmatched', icon: 'in' },
    { name: 'differences', path: '/dashboard/operator/differences', icon: 'ledger' },
    { name: 'entries', path: '/dashboard/operator/entries', icon: 'ledger' },
    { name: 'answers', path: '/dashboard/operator/answers', icon: 'events' },
    { name: 'deadWebhooks', path: '/dashboard/operator/webhooks', icon: 'webhooks' },
    { name: 'health', path: '/dashboard/operator/providers', icon: 'providers' },
    { name: 'acts', path: '/dashboard/operator/acts', icon: 'token' },
  ],
}

/** Returns whether a page is a merchant's that an operator reads. */
export function readsOpenedAccount({ user, account }: DashboardSession, path: string): boolean {
  return user.role === 'operator' && account !== null && !path.startsWith('/dashboard/operator')
}

/**
 * Builds the menu of a page: of the user's role, or the merchant's where an operator reads the merchant's pages. `tasks`
 * counts what waits behind an entry.
 */
export function buildNavigation(session: DashboardSession, path: string, tasks: Record<string, number>) {
  const menu = MENUS[readsOpenedAccount(session, path) ? 'merchant' : session.user.role]
  // The longest matching path is active; the overview only on its own page.
  const active = menu
    .filter(one => path === one.path || (one.path !== '/dashboard' && path.startsWith(`${one.path}/`)))
    .sort((a, b) => b.path.length - a.path.length)[0]
  return menu.map(one => ({ ...one, isHere: one === active, tasks: tasks[one.name] ?? 0 }))
}
