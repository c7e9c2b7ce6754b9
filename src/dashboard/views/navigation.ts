import type { DashboardSession } from '../../db/repositories/dashboard-sessions.ts'
import type { AccountPermission } from '../../domain/users/roles.ts'
import { hasPermission } from '../authorization/page-permission.ts'
import type { IconName } from './icons.ts'

/** Entries of one heading of the menu (`menu.<heading>`); the first ones have none. */
type MenuHeading = 'payments' | 'account' | 'developers' | 'waiting' | 'service'
type MenuEntry = {
  name: string
  path: string
  icon: IconName
  heading?: MenuHeading
  /** Key that leads to it after `g`. */
  key?: string
  permission?: AccountPermission
}

/** Menu entries of an account's users and of operators, in order; the phrase `nav.<name>` names each. */
const MENUS: Record<'merchant' | 'operator', MenuEntry[]> = {
  merchant: [
    { name: 'overview', path: '/dashboard', icon: 'overview', permission: 'money.read', key: 'o' },
    ...under('payments', 'money.read', [
      { name: 'charges', path: '/dashboard/charges', icon: 'in', key: 'c' },
      { name: 'qrCodes', path: '/dashboard/qr-codes', icon: 'code' },
      { name: 'recurrences', path: '/dashboard/recurrences', icon: 'repeat' },
      { name: 'transfers', path: '/dashboard/transfers', icon: 'out', key: 't' },
      { name: 'approvals', path: '/dashboard/approvals', icon: 'check', permission: 'transfers.write' },
      { name: 'refunds', path: '/dashboard/refunds', icon: 'back', key: 'd' },
      { name: 'disputes', path: '/dashboard/disputes', icon: 'dispute', key: 'm' },
      { name: 'held', path: '/dashboard/unmatched', icon: 'question' },
    ]),
    ...under('account', 'money.read', [
      { name: 'ledger', path: '/dashboard/ledger', icon: 'ledger', key: 'e' },
      { name: 'settlement', path: '/dashboard/settlement', icon: 'calendar', key: 'f' },
      { name: 'reports', path: '/dashboard/reports', icon: 'out' },
      { name: 'reconciliations', path: '/dashboard/reconciliations', icon: 'unequal' },
      { name: 'limits', path: '/dashboard/limits', icon: 'gauge' },
      { name: 'keys', path: '/dashboard/keys', icon: 'key' },
      { name: 'providers', path: '/dashboard/providers', icon: 'providers' },
      { name: 'users', path: '/dashboard/users', icon: 'users', permission: 'users.write' },
      { name: 'settings', path: '/dashboard/settings', icon: 'settings' },
    ]),
    ...under('developers', 'tokens.read', [
      { name: 'tokens', path: '/dashboard/tokens', icon: 'token' },
      { name: 'requests', path: '/dashboard/requests', icon: 'code' },
      {
        name: 'webhooks',
        path: '/dashboard/webhooks',
        icon: 'webhooks',
        permission: 'webhooks.read',
        key: 'w',
      },
      { name: 'events', path: '/dashboard/events', icon: 'events', permission: 'events.read' },
    ]),
  ],
  operator: [
    { name: 'operator', path: '/dashboard/operator', icon: 'overview', key: 'o' },
    { name: 'accounts', path: '/dashboard/operator/accounts', icon: 'accounts', key: 'c' },
    ...under('waiting', undefined, [
      { name: 'unknown', path: '/dashboard/operator/unknown', icon: 'question', key: 'u' },
      { name: 'stuck', path: '/dashboard/operator/stuck', icon: 'stop' },
      { name: 'dueDisputes', path: '/dashboard/operator/disputes', icon: 'dispute' },
      { name: 'unexpected', path: '/dashboard/operator/unexpected', icon: 'out' },
      { name: 'unmatched', path: '/dashboard/operator/unmatched', icon: 'in' },
      { name: 'differences', path: '/dashboard/operator/differences', icon: 'unequal' },
      { name: 'entries', path: '/dashboard/operator/entries', icon: 'ledger' },
      { name: 'answers', path: '/dashboard/operator/answers', icon: 'code' },
      { name: 'deadWebhooks', path: '/dashboard/operator/webhooks', icon: 'webhooks' },
    ]),
    ...under('service', undefined, [
      { name: 'health', path: '/dashboard/operator/providers', icon: 'providers', key: 'p' },
      { name: 'acts', path: '/dashboard/operator/acts', icon: 'events' },
    ]),
  ],
}

/** Entries below one heading, with one permission except where an entry has its own. */
function under(
  heading: MenuHeading,
  permission: AccountPermission | undefined,
  entries: MenuEntry[],
): MenuEntry[] {
  return entries.map(entry => ({ heading, ...(permission && { permission }), ...entry }))
}

/** Returns whether a page is a merchant's that an operator reads. */
export function readsOpenedAccount({ user, account }: DashboardSession, path: string): boolean {
  return user.role === 'operator' && account !== null && !path.startsWith('/dashboard/operator')
}

/**
 * Builds the menu of a page, by its headings: of the user's role, or the merchant's where an operator reads the
 * merchant's pages. `tasks` counts what waits behind an entry.
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
  const entries = menu.map(one => ({ ...one, isHere: one === active, tasks: tasks[one.name] ?? 0 }))
  return [...Map.groupBy(entries, one => one.heading)].map(([heading, entries]) => ({ heading, entries }))
}
