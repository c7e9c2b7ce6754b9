import {
  listDifferences,
  listReconciliations,
  readReconciliation,
} from '../../api/operations/reconciliations.ts'
import { differencesQuery } from '../../contract/reconciliation/reconciliation.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { findConnectionMode, restrictToOneMode } from './connections.ts'
import { listByFilters } from './filtered-list.ts'
import { type ListTab, presentTabs } from './list-controls.ts'

const PATH = '/dashboard/reconciliations'
/** More than any account has. */
const MAX_PROVIDERS = 100

/** Registers the pages of what the comparison with the providers has found; the operators' pages end a difference. */
export function registerReconciliationPages({ get }: DashboardRouter): void {
  get('money.read', PATH, async visit => {
    const { token, modes } = await restrictToOneMode(visit)
    const { data } = await listReconciliations(visit.em.fork(), token, {
      page: 1,
      per_page: MAX_PROVIDERS,
      time_zone: 'UTC',
    })
    return createPage('reconciliations', { rows: data, mode: token.mode, modes })
  })

  get('money.read', `${PATH}/:uuid`, async visit => {
    const { em, token, params } = visit
    const { uuid } = params
    const reconciliation = await readReconciliation(em.fork(), token, uuid)
    const list = await listByFilters(visit, differencesQuery, query =>
      listDifferences(em.fork(), token, { uuid, query }),
    )
    const tabs: ListTab[] = [
      { name: 'all', query: {} },
      { name: 'open', query: { status: 'OPEN' }, count: reconciliation.open_differences },
      { name: 'over', query: { status: 'SETTLED,CLOSED' } },
    ]
    return createPage('reconciliation', {
      ...list,
      reconciliation,
      mode: await findConnectionMode(em.fork(), uuid),
      tabs: presentTabs(visit, `${PATH}/${uuid}`, tabs),
    })
  })
}
