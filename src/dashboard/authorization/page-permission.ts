import type { DashboardSession } from '../../db/repositories/dashboard-sessions.ts'
import {
  type AccountPermission,
  listRolesWithPermission,
  roleHasPermission,
} from '../../domain/users/roles.ts'
import { fail } from '../../http/api-error.ts'
import { type Language, TRANSLATORS } from '../i18n/translator.ts'
import { getFormats } from '../views/formats.ts'

/**
 * What a route of the dashboard needs: a permission of an account's user, an operator, or only a session (`any`). Every
 * route declares it (http/router.ts), and no other place checks it.
 */
export type PagePermission = AccountPermission | 'operator' | 'any'

/** User that a route is for: its handler has the account of a merchant's, and none of an operator's. */
export type AudienceOf<P extends PagePermission> = P extends AccountPermission ? 'merchant' : P

/**
 * Fails unless a session may use a route: with 403 and the roles that have the permission, or with 404 where the page is not
 * for this kind of user. An operator who has opened an account reads what its viewer reads, and sends none of its forms.
 */
export function requirePageAccess(
  session: DashboardSession,
  permission: PagePermission,
  { method, language }: { method: string; language: Language },
): void {
  if (permission === 'any') return
  const { role } = session.user
  if (permission === 'operator' || role === 'operator') {
    const isAllowed =
      permission === 'operator'
        ? role === 'operator'
        : method !== 'POST' && hasPermission(session, permission)
    if (!isAllowed) fail('not_found')
  } else if (!roleHasPermission(role, permission)) {
    const names = listRolesWithPermission(permission).map(allowed => TRANSLATORS[language](`role.${allowed}`))
    fail('role_not_allowed', { allowedRolesText: getFormats(language).anyOf(names) })
  }
}

/** Returns whether the user of a session has a permission, for the menu and for the forms of a page. */
export function hasPermission({ user, account }: DashboardSession, permission: AccountPermission): boolean {
  if (user.role === 'operator') return account !== null && roleHasPermission('viewer', permission)
  return roleHasPermission(user.role, permission)
}
