import type { DashboardSession } from '../../db/repositories/dashboard-sessions.ts'
import {
  type AccountPermission,
  type AccountRole,
  listRolesWithPermission,
  roleHasPermission,
} from '../../domain/users/roles.ts'

/**
 * What a route of the dashboard needs: a permission of an account's user, an operator, or only a session (`any`). Every
 * route declares it (http/router.ts), and no other place checks it.
 */
export type PagePermission = AccountPermission | 'operator' | 'any'

/** User that a route is for: its handler has the account of a merchant's, and none of an operator's. */
export type AudienceOf<P extends PagePermission> = P extends AccountPermission ? 'merchant' : P

type PageAccess =
  | { kind: 'allowed' }
  /** The page is not this user's: an operator's, or a merchant's whose account the operator has not opened. */
  | { kind: 'absent' }
  /** The user's role lacks the permission, which these roles have. */
  | { kind: 'forbidden'; allowedRoles: AccountRole[] }

/**
 * Decides whether a session may use a route. An operator who has opened an account reads what its viewer reads, and
 * sends none of its forms.
 */
export function decidePageAccess(
  session: DashboardSession,
  permission: PagePermission,
  method: string,
): PageAccess {
  const { role } = session.user
  if (permission === 'any') return { kind: 'allowed' }
  if (permission === 'operator') return { kind: role === 'operator' ? 'allowed' : 'absent' }
  if (role === 'operator')
    return { kind: method !== 'POST' && hasPermission(session, permission) ? 'allowed' : 'absent' }
  if (roleHasPermission(role, permission)) return { kind: 'allowed' }
  return { kind: 'forbidden', allowedRoles: listRolesWithPermission(permission) }
}

/** Returns whether the user of a session has a permission, for the menu and for the forms of a page. */
export function hasPermission({ user, account }: DashboardSession, permission: AccountPermission): boolean {
  if (user.role === 'operator') return account !== null && roleHasPermission('viewer', permission)
  return roleHasPermission(user.role, permission)
}
