import { listTransfers, requireVisibleTransfer } from '../../../api/operations/transfers.ts'
import type { CsvColumns } from '../../../contract/shared/csv.ts'
import { showTransfer, transfersQuery } from '../../../contract/transfers/transfer.ts'
import type { ReadTransfer } from '../../../db/repositories/transfers.ts'
import { PAYMENT_STATUSES } from '../../../domain/shared/payment-status.ts'
import { transferMachine } from '../../../domain/transfers/transfer.ts'
import { phrasesOf } from '../../http/confirmation.ts'
import { createPage } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { encodeFacts, type ShownFact } from '../../http/shown-facts.ts'
import { findConnectionMode, listConnections, restrictToOneMode } from '../connections.ts'
import { listByFilters } from '../filtered-list.ts'
import { createListFiles, nameFileByMode } from '../list-file.ts'
import { findOperatorText, loadRelated } from '../related.ts'

export const TRANSFERS_PAGE_PATH = '/dashboard/transfers'

const FILE_PATH = `${TRANSFERS_PAGE_PATH}/transfers.csv`

/** Columns of the list as CSV. */
const TRANSFER_COLUMNS: CsvColumns<ReturnType<typeof showTransfer>> = {
  created_at: transfer => transfer.created_at,
  status: transfer => transfer.status,
  outcome: transfer => transfer.outcome,
  value: transfer => transfer.value,
  fees: transfer => transfer.fees,
  pix_key: transfer => transfer.transfer.initiation.pix_key,
  receiver_name: transfer => transfer.transfer.initiation.receiver.name,
  receiver_document: transfer => transfer.transfer.initiation.receiver.document,
  external_ref: transfer => transfer.external_ref,
  scheduled_for: transfer => transfer.scheduled_for,
  settled_at: transfer => transfer.transfer.settled_at,
  end_to_end: transfer => transfer.transfer.end_to_end,
  error: transfer => transfer.error?.code,
  provider: transfer => transfer.provider.provider,
  provider_uuid: transfer => transfer.provider.uuid,
  uuid: transfer => transfer.uuid,
}

export function registerTransferPages({ get }: DashboardRouter): void {
  const openListFile = createListFiles()

  get('money.read', TRANSFERS_PAGE_PATH, async visit => {
    const { token, modes } = await restrictToOneMode(visit)
    const list = await listByFilters(visit, transfersQuery, query => listTransfers(visit.em, token, query))
    const connections = await listConnections(visit.em, token)
    const moves = list.rows.some(({ status }) => status === 'PROCESSING' || status === 'PENDING')
    const statuses = PAYMENT_STATUSES.filter(status => status !== 'UNDEFINED')
    const names = { connections, statuses, mode: token.mode, modes, file: FILE_PATH }
    return createPage('transfers', { ...list, ...names, moves })
  })

  get('money.read', FILE_PATH, async visit => {
    const { token } = await restrictToOneMode(visit)
    return openListFile(visit, {
      name: nameFileByMode('transfers', token.mode),
      columns: TRANSFER_COLUMNS,
      schema: transfersQuery,
      list: query => listTransfers(visit.em.fork(), token, query),
    })
  })

  get('money.read', `${TRANSFERS_PAGE_PATH}/:uuid`, renderTransfer)
}

/** Renders a transfer with every attempt, the reason why the next provider was or was not tried, and what belongs to it. */
export async function renderTransfer(visit: PageContext<'merchant'>) {
  const { em, token, params } = visit
  const row = await requireVisibleTransfer(em, token, params.uuid)
  const model = {
    transfer: showTransfer(row, row.attempts),
    mode: await findConnectionMode(em, row.connection.uuid),
    related: await loadRelated(visit, {
      uuid: row.uuid,
      transferUuid: row.uuid,
      attempted: { uuid: row.uuid, operations: ['transfer'] },
      actionSubjects: [`transfer/${row.uuid}`],
      ledgerUuid: row.uuid,
    }),
    operatorText: findOperatorText(row.failure),
    version: encodeFacts(visit.language, listTransferFacts(visit, row)),
    isWaiting: row.state === 'created' && row.scheduledFor != null,
    moves: !transferMachine.isFinal(row.state),
  }
  return createPage('transfer', model, `${TRANSFERS_PAGE_PATH}/${row.uuid}`)
}

/** Lists what the form of a transfer's page depends on. */
function listTransferFacts(
  visit: PageContext<'merchant'>,
  { state }: Pick<ReadTransfer, 'state'>,
): ShownFact[] {
  const { t } = phrasesOf(visit)
  return [{ name: 'field.status', value: t(`status.${transferMachine.statusOf(state)}`) }]
}

/** Reads what the form of a transfer's page depends on now. */
export async function readTransferFacts(visit: PageContext<'merchant'>): Promise<ShownFact[]> {
  return listTransferFacts(
    visit,
    await requireVisibleTransfer(visit.em.fork(), visit.token, visit.params.uuid),
  )
}
