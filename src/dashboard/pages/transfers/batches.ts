import {
  cancelTransferBatch,
  decideTransferBatch,
  listBatchItems,
  listTransferBatches,
  readTransferBatch,
} from '../../../api/operations/transfer-batches.ts'
import type { CsvColumns } from '../../../contract/shared/csv.ts'
import { rejectTransferBody } from '../../../contract/transfers/approval.ts'
import { batchesQuery, batchItemsQuery } from '../../../contract/transfers/transfer-batch.ts'
import { runQuery } from '../../../db/pipeline/query.ts'
import { queryApproval } from '../../../db/repositories/approvals.ts'
import { type ApprovalVerdict, findPersonRole } from '../../../domain/approvals/approval.ts'
import { PAYMENT_STATUSES } from '../../../domain/shared/payment-status.ts'
import { BATCH_STATUSES } from '../../../domain/transfers/transfer-batch.ts'
import { fail } from '../../../http/api-error.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields, readText } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { encodeFacts, type ShownFact } from '../../http/shown-facts.ts'
import { registerAccountList } from '../account-list.ts'
import { listByFilters } from '../filtered-list.ts'
import { loadRelated } from '../related.ts'
import { TRANSFERS_PAGE_PATH } from './transfers.ts'

export const BATCHES_PAGE_PATH = `${TRANSFERS_PAGE_PATH}/batches`

type BatchVisit = PageContext<'merchant'>
type ShownBatch = Awaited<ReturnType<typeof readTransferBatch>>

/** Columns of the list as CSV. */
const BATCH_COLUMNS: CsvColumns<ShownBatch> = {
  created_at: batch => batch.created_at,
  status: batch => batch.status,
  name: batch => batch.name,
  value: batch => batch.value,
  items: batch => String(batch.total),
  paid: batch => String(batch.counts.paid),
  failed: batch => String(batch.counts.failed),
  cancelled: batch => String(batch.counts.cancelled),
  uuid: batch => batch.uuid,
}

/** Registers the list of batches of transfers, the page of one, and the forms that cancel, approve and reject it. */
export function registerBatchPages(router: DashboardRouter): void {
  const { get, post, dashboard } = router
  registerAccountList(router, {
    name: 'batches',
    path: BATCHES_PAGE_PATH,
    schema: batchesQuery,
    columns: BATCH_COLUMNS,
    list: ({ em, token }, query) => listTransferBatches(em.fork(), token, query),
    present: (_, rows) => ({
      statuses: BATCH_STATUSES,
      moves: rows.some(({ status }) => status === 'PROCESSING' || status === 'DRAFT'),
    }),
  })

  get('money.read', `${BATCHES_PAGE_PATH}/:uuid`, renderBatch)

  post('transfers.write', `${BATCHES_PAGE_PATH}/:uuid/cancel`, {
    confirm: confirmCancellation,
    async handle({ em, token, params: { uuid } }) {
      const { status } = await readTransferBatch(em.fork(), token, uuid)
      if (status !== 'CANCELLED') await cancelTransferBatch(dashboard.temporal, { em, token, uuid })
      return redirect(`${BATCHES_PAGE_PATH}/${uuid}`, 'batch_cancelled')
    },
    listFacts: readBatchFacts,
    renderForm: renderBatch,
  })

  for (const verdict of ['approve', 'reject'] as const)
    post('transfers.write', `${BATCHES_PAGE_PATH}/:uuid/${verdict}`, {
      confirm: visit => confirmVerdict(visit, verdict),
      async handle(visit) {
        const { em, token, params } = visit
        const { uuid } = params
        const decision = verdict === 'approve' ? { verdict } : { verdict, reason: parseReason(visit) }
        await decideTransferBatch(dashboard.temporal, { em, token, uuid }, decision)
        return redirect(`${BATCHES_PAGE_PATH}/${uuid}`, `batch_${verdict}`)
      },
      listFacts: readBatchFacts,
      renderForm: renderBatch,
    })
}

function parseReason({ form }: BatchVisit): string {
  return parseFormFields(rejectTransferBody, { reason: readText(form, 'reason') }, {}).reason
}

/** Renders a batch with its counts, a page of its items, and what may be done with it. */
async function renderBatch(visit: BatchVisit) {
  const { em, token, params, session } = visit
  const { uuid } = params
  const batch = await readTransferBatch(em.fork(), token, uuid)
  const items = await listByFilters(visit, batchItemsQuery, query =>
    listBatchItems(em.fork(), token, { uuid, query }),
  )
  const approval = batch.approval && (await runQuery(em.fork(), queryApproval(uuid)))
  const hasEnded = batch.status === 'COMPLETED' || batch.status === 'CANCELLED'
  const model = {
    batch,
    ...items,
    counts: Object.entries(batch.counts).filter(([, count]) => count > 0),
    statuses: PAYMENT_STATUSES.filter(status => status !== 'UNDEFINED'),
    related: await loadRelated(visit, { actionSubjects: [`batch/${uuid}`], ledgerUuid: null }),
    version: encodeFacts(visit.language, listBatchFacts(visit, batch)),
    approval: approval && {
      maker: approval.maker,
      isWaiting: batch.status === 'DRAFT',
      role: findPersonRole(approval, session.user.email),
    },
    hasEnded,
    moves: !hasEnded || batch.counts.processing > 0,
  }
  return createPage('batch', model, `${BATCHES_PAGE_PATH}/${uuid}`)
}

/** Lists what the forms of a batch's page depend on. */
function listBatchFacts({ t }: BatchVisit, { status, approval }: ShownBatch): ShownFact[] {
  const shown = { name: 'field.status', value: t(`batchStatus.${status}`) }
  if (!approval) return [shown]
  const value = t('approvals.givenOf', { given: approval.given.length, needed: approval.needed })
  return [shown, { name: 'approvals.given', value }]
}

async function readBatchFacts(visit: BatchVisit): Promise<ShownFact[]> {
  return listBatchFacts(visit, await readTransferBatch(visit.em.fork(), visit.token, visit.params.uuid))
}

async function confirmCancellation(visit: BatchVisit): Promise<Confirmation | null> {
  const { em, token, params, form, t, f } = visit
  const batch = await readTransferBatch(em.fork(), token, params.uuid)
  // The same form once more: what it asked for is done.
  if (batch.status === 'CANCELLED' && form.has('confirmed')) return null
  if (batch.status !== 'DRAFT' && batch.status !== 'PROCESSING') fail('batch_not_cancellable')
  return {
    title: t('batch.cancelAsk'),
    button: t('batch.cancelNow'),
    facts: [
      { name: 'field.name', value: batch.name ?? '–' },
      { name: 'field.value', value: f.money(batch.value) },
      { name: 'batch.items', value: f.number(batch.total) },
      { name: 'batch.notStarted', value: f.number(batch.counts.pending), isInformative: true },
    ],
    means: t('batch.cancelMeans'),
    isDangerous: true,
    back: `${BATCHES_PAGE_PATH}/${batch.uuid}`,
  }
}

async function confirmVerdict(visit: BatchVisit, verdict: ApprovalVerdict): Promise<Confirmation | null> {
  const { em, token, params, session, form, t, f } = visit
  const reason = verdict === 'reject' ? parseReason(visit) : undefined
  const batch = await readTransferBatch(em.fork(), token, params.uuid)
  const approval = await runQuery(em.fork(), queryApproval(batch.uuid))
  if (!approval) fail('not_waiting_for_approval')
  const role = findPersonRole(approval, session.user.email)
  // The same form once more: what it asked for is done.
  if (role === verdict && form.has('confirmed')) return null
  if (role === 'maker') fail('approver_is_maker')
  if (batch.status !== 'DRAFT' || role === verdict) fail('not_waiting_for_approval')
  const gaps = { amount: f.money(batch.value) }
  return {
    title: t(`batch.ask.${verdict}`, gaps),
    button: t(`batch.now.${verdict}`, gaps),
    facts: [
      { name: 'field.name', value: batch.name ?? '–' },
      { name: 'field.value', value: gaps.amount },
      { name: 'batch.items', value: f.number(batch.total) },
      { name: 'approvals.maker', value: approval.maker },
      ...(reason ? [{ name: 'field.reason', value: reason }] : []),
    ],
    means: t(`batch.means.${verdict}`),
    isDangerous: verdict === 'reject',
    back: `${BATCHES_PAGE_PATH}/${batch.uuid}`,
  }
}
