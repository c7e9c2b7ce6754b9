import { isDisputable } from '../../../api/operations/dispute-requests.ts'
import {
  cancelMerchantTransfer,
  listTransfers,
  requireVisibleTransfer,
} from '../../../api/operations/transfers.ts'
import { countVisibleRows, countVisibleStates } from '../../../api/operations/visible-list.ts'
import type { CsvColumns } from '../../../contract/shared/csv.ts'
import { showTransfer, transfersQuery } from '../../../contract/transfers/transfer.ts'
import { sumScheduledDays } from '../../../db/repositories/paid-receivers.ts'
import {
  type ReadTransfer,
  WAITING_TRANSFERS,
  type WaitingTransfers,
} from '../../../db/repositories/transfers.ts'
import { findPersonRole } from '../../../domain/approvals/approval.ts'
import { DISPUTE_TYPES } from '../../../domain/disputes/dispute.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../../domain/shared/payment-status.ts'
import { transferMachine } from '../../../domain/transfers/transfer.ts'
import { fail } from '../../../http/api-error.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { createPage, redirect, withQuery } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { encodeFacts, type ShownFact } from '../../http/shown-facts.ts'
import { registerAccountList } from '../account-list.ts'
import { findConnectionMode } from '../connections.ts'
import { type ListTab, listStatusTabs } from '../list-controls.ts'
import { findOperatorText, loadRelated } from '../related.ts'
import { buildStory } from '../story.ts'
import { findTransferReceiver, listReceiverFacts, showKey } from './receiver.ts'

export const TRANSFERS_PAGE_PATH = '/dashboard/transfers'

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

type TransferVisit = PageContext<'merchant'>

/** Registers the list of transfers, the page of one, and the cancellation of a scheduled one. */
export function registerTransferPages(router: DashboardRouter): void {
  const { get, post, dashboard } = router
  registerAccountList(router, {
    name: 'transfers',
    path: TRANSFERS_PAGE_PATH,
    searchedNoun: 'transfer',
    schema: transfersQuery,
    columns: TRANSFER_COLUMNS,
    ownParameters: ['waiting'],
    sortColumns: { created_at: 'created_at', value: 'value_cents', scheduled_for: 'scheduled_for' },
    listTabs: listTransferTabs,
    list: (visit, query, order) =>
      listTransfers(visit.em.fork(), visit.token, { ...query, waiting: readWaiting(visit) }, order),
    present: async (visit, rows) => ({
      isScheduled: readWaiting(visit) === 'scheduled',
      scheduledDays: readWaiting(visit) === 'scheduled' ? await listScheduledDays(visit) : [],
      rows: rows.map(row => ({ ...row, shownKey: showKey(row.transfer.initiation.pix_key, visit) })),
      statuses: PAYMENT_STATUSES.filter(status => status !== 'UNDEFINED'),
      moves: rows.some(({ status }) => status === 'PROCESSING' || status === 'PENDING'),
    }),
  })

  get('money.read', `${TRANSFERS_PAGE_PATH}/:uuid`, renderTransfer)

  post('transfers.write', `${TRANSFERS_PAGE_PATH}/:uuid/cancel`, {
    confirm: confirmCancellation,
    async handle({ em, token, params }) {
      const { state } = await requireVisibleTransfer(em.fork(), token, params.uuid)
      if (state !== 'cancelled')
        await cancelMerchantTransfer(dashboard.temporal, { em, token, uuid: params.uuid })
      return redirect(`${TRANSFERS_PAGE_PATH}/${params.uuid}`, 'transfer_cancelled')
    },
    listFacts: readTransferFacts,
    renderForm: renderTransfer,
  })
}

function listScheduledDays({ em, token, timeZone }: TransferVisit) {
  const { accountUuid, mode } = token
  return sumScheduledDays(em.fork(), { accountUuid, isSimulated: mode === 'test', timeZone })
}

/** Reads what the transfers of the address wait for; an unknown word is no filter. */
function readWaiting({ query }: Pick<TransferVisit, 'query'>): WaitingTransfers | undefined {
  return query.waiting === 'scheduled' || query.waiting === 'unknown' ? query.waiting : undefined
}

/** Tabs of the list by the statuses that they select. */
const TRANSFER_TABS: Record<string, PaymentStatus[]> = {
  underWay: ['PENDING', 'PROCESSING'],
  paid: ['PAID'],
  failed: ['FAILED'],
}

/** Lists the tabs of the list: by status, and of the transfers that wait for their day or whose outcome is unknown. */
async function listTransferTabs({ em, token }: TransferVisit): Promise<ListTab[]> {
  const countWaiting = (waiting: WaitingTransfers) =>
    countVisibleRows(em.fork(), { noun: 'transfer', token, filter: WAITING_TRANSFERS[waiting] })
  const [counts, scheduled, unknown] = await Promise.all([
    countVisibleStates(em.fork(), { noun: 'transfer', token }),
    countWaiting('scheduled'),
    countWaiting('unknown'),
  ])
  const [underWay, ...others] = listStatusTabs(TRANSFER_TABS, counts, transferMachine)
  return [
    { name: 'all', query: {} },
    { name: 'scheduled', query: { waiting: 'scheduled', sort: 'scheduled_for' }, count: scheduled },
    underWay!,
    { name: 'unknown', query: { waiting: 'unknown' }, count: unknown },
    ...others,
  ]
}

/** Renders a transfer with every attempt, the reason why the next provider was or was not tried, and what belongs to it. */
export async function renderTransfer(visit: TransferVisit) {
  const { em, token, params, session } = visit
  const row = await requireVisibleTransfer(em, token, params.uuid)
  const mode = await findConnectionMode(em, row.connection.uuid)
  const related = await loadRelated(visit, {
    uuid: row.uuid,
    transferUuid: row.uuid,
    attempted: { uuid: row.uuid, operations: ['transfer'] },
    actionSubjects: [`transfer/${row.uuid}`],
    ledgerUuid: row.uuid,
  })
  const model = {
    transfer: showTransfer(row, row.attempts),
    shownKey: showKey(row.pixKey, visit),
    receiver: findTransferReceiver(row),
    mode,
    related,
    history: buildStory(visit, row.history, related),
    operatorText: findOperatorText(row.failure),
    version: encodeFacts(visit.language, listTransferFacts(visit, row)),
    isCancellable:
      transferMachine.accepts(row.state, 'cancelled') && (row.scheduledFor != null || row.state === 'held'),
    approval: row.approval && {
      maker: row.approval.maker,
      isWaiting: row.state === 'held',
      role: findPersonRole(row.approval, session.user.email),
    },
    otherKeyPath: withQuery(`${TRANSFERS_PAGE_PATH}/new`, { mode, instead_of: row.uuid }),
    moves: !transferMachine.isFinal(row.state),
    disputeTypes:
      row.settledAt && (await isDisputable({ em: em.fork(), token }, row.uuid)) ? DISPUTE_TYPES : null,
  }
  return createPage('transfer', model, `${TRANSFERS_PAGE_PATH}/${row.uuid}`)
}

/** Lists what the form of a transfer's page depends on. */
function listTransferFacts(
  { t }: TransferVisit,
  { state, approval }: Pick<ReadTransfer, 'state' | 'approval'>,
): ShownFact[] {
  const status = { name: 'field.status', value: t(`status.${transferMachine.statusOf(state)}`) }
  if (!approval) return [status]
  const given = approval.given.filter(({ verdict }) => verdict === 'approve').length
  const value = t('approvals.givenOf', { given, needed: approval.needed })
  return [status, { name: 'approvals.given', value }]
}

/** Reads what the form of a transfer's page depends on now. */
export async function readTransferFacts(visit: TransferVisit): Promise<ShownFact[]> {
  return listTransferFacts(
    visit,
    await requireVisibleTransfer(visit.em.fork(), visit.token, visit.params.uuid),
  )
}

async function confirmCancellation(visit: TransferVisit): Promise<Confirmation | null> {
  const { em, token, params, form, t, f } = visit
  const transfer = await requireVisibleTransfer(em.fork(), token, params.uuid)
  // The same form once more: what it asked for is done.
  if (transfer.state === 'cancelled' && form.has('confirmed')) return null
  if (!transferMachine.accepts(transfer.state, 'cancelled')) fail('transfer_not_cancellable')
  const gaps = { amount: f.money(transfer.valueCents) }
  return {
    title: t('transfer.cancelAsk', gaps),
    button: t('transfer.cancelNow', gaps),
    facts: [
      ...listReceiverFacts(visit, transfer),
      { name: 'field.value', value: gaps.amount },
      { name: 'field.external_ref', value: transfer.externalRef ?? '–' },
    ],
    means: t('transfer.cancelMeans'),
    isDangerous: true,
    back: `${TRANSFERS_PAGE_PATH}/${transfer.uuid}`,
  }
}
