import type { DashboardSession } from '../../db/repositories/dashboard-sessions.ts'
import { DEFAULT_TIME_ZONE } from '../../domain/shared/time-zone.ts'
import { readsOpenedAccount } from '../views/navigation.ts'

/** Returns the time zone of a page: the account's on its own pages, for an operator too, and Brasília's on those of operators. */
export function getSessionTimeZone(session: DashboardSession | null | undefined, path: string): string {
  const isAccountPage = session && (session.user.role !== 'operator' || readsOpenedAccount(session, path))
  return (isAccountPage && session.account?.timeZone) || DEFAULT_TIME_ZONE
}
