import type { ActingUser } from '../../admin/account-users.ts'
import type { PageContext } from './page-context.ts'

/** Names the user of a session, as the audit records it. */
export function actingUser({ session: { user, account } }: PageContext): ActingUser {
  const accountUuid = user.role === 'operator' ? null : (account?.uuid ?? null)
  return { uuid: user.uuid, email: user.email, accountUuid }
}
