import { listAllRefunds, requireVisibleRefund } from '../../api/operations/refunds.ts'
import { allRefundsQuery, showListedRefund } from '../../contract/refunds/refund.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import { REFUND_STATUSES, refundMachine } from '../../domain/refunds/refund.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { registerAccountList } from './account-list.ts'
import { findConnectionMode } from './connections.ts'
import { findOperatorText, loadRelated } from './related.ts'

const PATH = '/dashboard/refunds'

/** Columns of the list as CSV. */
const REFUND_COLUMNS: CsvColumns<ReturnType<typeof showListedRefund>> = {
  created_at: refund => refund.created_at,
  status: refund => refund.status,
  value: refund => refund.value,
  fees: refund => refund.fees,
  description: refund => refund.description,
  external_ref: refund => refund.external_ref,
  payer_name: refund => refund.pix_original.initiation.sender?.name,
  payer_document: refund => refund.pix_original.initiation.sender?.document,
  settled_at: refund => refund.pix_refund.settled_at,
  end_to_end: refund => refund.pix_refund.end_to_end,
  original_end_to_end: refund => refund.pix_original.end_to_end,
  error: refund => refund.error?.code,
  charge_uuid: refund => refund.charge_uuid,
  provider: refund => refund.provider.provider,
  provider_uuid: refund => refund.provider.uuid,
  uuid: refund => refund.uuid,
}

export function registerRefundPages(router: DashboardRouter): void {
  registerAccountList(router, {
    name: 'refunds',
    path: PATH,
    schema: allRefundsQuery,
    columns: REFUND_COLUMNS,
    list: ({ em, token }, query) => listAllRefunds(em.fork(), token, query),
    present: (_, rows) => ({
      statuses: REFUND_STATUSES,
      moves: rows.some(({ status }) => status === 'PROCESSING'),
    }),
  })

  router.get('money.read', `${PATH}/:uuid`, async visit => {
    const { em, token, params } = visit
    const row = await requireVisibleRefund(em.fork(), token, params.uuid)
    const { uuid } = row
    const model = {
      refund: showListedRefund(row),
      disputeUuid: row.disputeUuid ?? null,
      mode: await findConnectionMode(em, row.connection.uuid),
      related: await loadRelated(visit, {
        uuid,
        refundUuid: uuid,
        attempted: { uuid, operations: ['refund'] },
        actionSubjects: [`refund/${uuid}`],
        ledgerUuid: uuid,
      }),
      operatorText: findOperatorText(row.failure),
      moves: !refundMachine.isFinal(row.state),
    }
    return createPage('refund', model, `${PATH}/${uuid}`)
  })
}
