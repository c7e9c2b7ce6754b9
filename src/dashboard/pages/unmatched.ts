import { listHeldPayments } from '../../api/operations/account-tasks.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { restrictToOneMode } from './connections.ts'

/** Registers the list of payments that an account received without a charge to match. */
export function registerUnmatchedPage({ get }: DashboardRouter): void {
  get('money.read', '/dashboard/unmatched', async visit => {
    const { token, modes } = await restrictToOneMode(visit)
    const rows = await listHeldPayments(visit.em.fork(), token)
    return createPage('unmatched', { rows, mode: token.mode, modes })
  })
}
