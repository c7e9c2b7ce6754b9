import type { DashboardSession } from '../../db/repositories/dashboard-sessions.ts'
import type { AccountPermission } from '../../domain/users/roles.ts'
import { hasPermission } from '../authorization/page-permission.ts'
import type { IconName } from './icons.ts'

type MenuEntry = { name: string; path: string; icon: IconName; permission?: AccountPermission }

/** Menu entries of an account's users and of operators, in order; the phrase `nav.<name>` names each. */
const MENUS: Record<'merchant' | 'operator', MenuEntry[]> = {
  merchant: [
    { name: 'overview', path: '/dashboard', icon: 'overview', permission: 'money.read' },
    { name: 'charges', path: '/dashboard/charges', icon: 'in', permission: 'money.read' },
    { name: 'transfers', path: '/dashboard/transfers', icon: 'out', permission: 'money.read' },
    { name: 'refunds', path: '/dashboard/refunds', icon: 'back', permission: 'money.read' },
    { name: 'disputes', path: '/dashboard/disputes', icon: 'dispute', permission: 'money.read' },
    { name: 'held', path: '/dashboard/unmatched', icon: 'in', permission: 'money.read' },
    { name: 'keys', path: '/dashboard/keys', icon: 'key', permission: 'money.read' },
    { name: 'ledger', path: '/dashboard/ledger', icon: 'ledger', permission: 'money.read' },
    { name: 'settlement', path: '/dashboard/settlement', icon: 'calendar', permission: 'money.read' },
    { name: 'providers', path: '/dashboard/providers', icon: 'providers', permission: 'money.read' },
    { name: 'tokens', path: '/dashboard/tokens', icon: 'token', permission: 'tokens.read' },
    { name: 'requests', path: '/dashboard/requests', icon: 'search', permission: 'tokens.read' },
    { name: 'webhooks', path: '/dashboard/webhooks', icon: 'webhooks', permission: 'webhooks.read' },
    { name: 'events', path: '/dashboard/events', icon: 'events', permission: 'events.read' },
    { name: 'users', path: '/dashboard/users', icon: 'users', permission: 'users.write' },
  ],
  operator: [
    { name: 'operator', path: '/dashboard/operator', icon: 'overview' },
    { name: 'accounts', path: '/dashboard/operator/accounts', icon: 'search' },
    { name: 'unknown', path: '/dashboard/operator/unknown', icon: 'dispute' },
    { name: 'stuck', path: '/dashboard/operator/stuck', icon: 'events' },
    { name: 'dueDisputes', path: '/dashboard/operator/disputes', icon: 'dispute' },
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
  const isOperatorMenu = session.user.role === 'operator' && !readsOpenedAccount(session, path)
  const menu = MENUS[isOperatorMenu ? 'operator' : 'merchant'].filter(
    ({ permission }) => !permission || hasPermission(session, permission),
  )
  // The longest matching path is active; the overview only on its own page.
  const active = menu
    .filter(one => path === one.path || (one.path !== '/dashboard' && path.startsWith(`${one.path}/`)))
    .sort((a, b) => b.path.length - a.path.length)[0]
  return menu.map(one => ({ ...one, isHere: one === active, tasks: tasks[one.name] ?? 0 }))
}
