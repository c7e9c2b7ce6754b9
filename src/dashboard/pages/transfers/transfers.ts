import { listTransfers, requireVisibleTransfer } from '../../../api/operations/transfers.ts'
import { showTransfer, transfersQuery } from '../../../contract/transfers/transfer.ts'
import { PAYMENT_STATUSES } from '../../../domain/shared/payment-status.ts'
import { transferMachine } from '../../../domain/transfers/transfer.ts'
import { createPage } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { findConnectionMode, listConnections, restrictToOneMode } from '../connections.ts'
import { listByFilters } from '../filtered-list.ts'

export const TRANSFERS_PAGE_PATH = '/dashboard/transfers'

export function registerTransferPages({ get }: DashboardRouter): void {
  get('money.read', TRANSFERS_PAGE_PATH, async visit => {
    const { token, modes } = await restrictToOneMode(visit)
    const list = await listByFilters(visit, transfersQuery, query => listTransfers(visit.em, token, query))
    const connections = await listConnections(visit.em, token)
    const moves = list.rows.some(({ status }) => status === 'PROCESSING' || status === 'PENDING')
    const statuses = PAYMENT_STATUSES.filter(status => status !== 'UNDEFINED')
    return createPage('transfers', { ...list, connections, statuses, moves, mode: token.mode, modes })
  })

  get('money.read', `${TRANSFERS_PAGE_PATH}/:uuid`, renderTransfer)
}

/** Renders a transfer with every attempt and the reason why the next provider was or was not tried. */
export async function renderTransfer({ em, token, params }: PageContext<'merchant'>) {
  const row = await requireVisibleTransfer(em, token, params.uuid)
  return createPage(
    'transfer',
    {
      transfer: showTransfer(row, row.attempts),
      mode: await findConnectionMode(em, row.connection.uuid),
      attempts: row.attempts.map(({ attempt, provider }) => {
        const { state: outcome, finality, code, createdAt, updatedAt } = attempt
        // Only the provider's own message: the message of an unreachable attempt contains its host name, which is for
        // operators.
        const message = outcome === 'rejected' ? attempt.message : null
        return { provider, outcome, finality, code, message, createdAt, updatedAt }
      }),
      isWaiting: row.state === 'created' && row.scheduledFor != null,
      moves: !transferMachine.isFinal(row.state),
    },
    `${TRANSFERS_PAGE_PATH}/${row.uuid}`,
  )
}
