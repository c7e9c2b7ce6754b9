import { listCharges } from '../../../api/operations/charges.ts'
import { mapPage } from '../../../api/operations/pagination.ts'
import { listRecurrences, requireVisibleRecurrence } from '../../../api/operations/recurrences.ts'
import { countVisibleRows, countVisibleStates } from '../../../api/operations/visible-list.ts'
import { recurrencesQuery, showRecurrence } from '../../../contract/recurrences/recurrence.ts'
import type { CsvColumns } from '../../../contract/shared/csv.ts'
import type { Recurrence } from '../../../db/entities/recurrence.ts'
import { buildPastDueCondition } from '../../../db/repositories/recurrences.ts'
import { findDueDays } from '../../../domain/recurrences/cycles.ts'
import {
  isChargeableRecurrenceState,
  RECURRENCE_STATUSES,
  type RecurrenceStatus,
  recurrenceMachine,
} from '../../../domain/recurrences/recurrence.ts'
import { findStoredCreation } from '../../../domain/recurrences/stored-terms.ts'
import { computeBrasiliaDay } from '../../../domain/shared/brasilia-day.ts'
import { fail } from '../../../http/api-error.ts'
import { renderQrSvg } from '../../../views/qr-code.ts'
import { createPage } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { encodeFacts, type ShownFact } from '../../http/shown-facts.ts'
import { formatDocument } from '../../views/formats.ts'
import { registerAccountList } from '../account-list.ts'
import { listShownStatuses } from '../charges/charge-history.ts'
import { listOpenRetryDays } from '../charges/debit-facts.ts'
import { findConnectionMode } from '../connections.ts'
import { type ListTab, listStatusTabs } from '../list-controls.ts'
import { loadRelated } from '../related.ts'

export const RECURRENCES_PAGE_PATH = '/dashboard/recurrences'

/** Cycles that the page of a recurrence shows; the list of charges has all. */
const SHOWN_CYCLES = 24

type RecurrenceVisit = PageContext<'merchant'>

/** Columns of the list as CSV. */
const RECURRENCE_COLUMNS: CsvColumns<ReturnType<typeof showRecurrence>> = {
  created_at: recurrence => recurrence.created_at,
  status: recurrence => recurrence.status,
  is_past_due: recurrence => recurrence.is_past_due,
  value: recurrence => recurrence.value,
  fees: recurrence => recurrence.fees,
  total_value: recurrence => recurrence.total_value,
  frequency: recurrence => recurrence.frequency,
  starts_on: recurrence => recurrence.starts_on,
  ends_on: recurrence => recurrence.ends_on,
  next_charge_on: recurrence => recurrence.next_charge_on,
  payer_name: recurrence => recurrence.debtor.name,
  payer_document: recurrence => formatDocument(recurrence.debtor.document),
  contract: recurrence => recurrence.contract,
  external_ref: recurrence => recurrence.external_ref,
  error: recurrence => recurrence.reason?.code ?? recurrence.error?.code,
  provider: recurrence => recurrence.provider.provider,
  provider_uuid: recurrence => recurrence.provider.uuid,
  uuid: recurrence => recurrence.uuid,
}

export function registerRecurrencePages(router: DashboardRouter): void {
  const { get } = router
  registerAccountList(router, {
    name: 'recurrences',
    path: RECURRENCES_PAGE_PATH,
    searchedNoun: 'recurrence',
    schema: recurrencesQuery,
    columns: RECURRENCE_COLUMNS,
    sortColumns: { created_at: 'created_at', value: 'value_cents' },
    listTabs: listRecurrenceTabs,
    list: async ({ em, token }, query, order) =>
      mapPage(await listRecurrences(em.fork(), token, query, order), row => showRecurrence(row, row)),
    present: (_, rows) => ({
      rows: rows.map(row => ({ ...row, shownStatus: getShownRecurrenceStatus(row.status) })),
      statuses: RECURRENCE_STATUSES.map(status => [status, getShownRecurrenceStatus(status)]),
    }),
  })

  get('money.read', `${RECURRENCES_PAGE_PATH}/:uuid`, renderRecurrence)

  get('money.read', `${RECURRENCES_PAGE_PATH}/:uuid/qr.svg`, async ({ em, token, params }) => {
    const { row } = await requireVisibleRecurrence(em, token, params.uuid)
    return { kind: 'file', type: 'image/svg+xml', body: renderQrSvg(row.payload || fail('not_found')) }
  })
}

/** Tabs of the list by the statuses that they select. */
const RECURRENCE_TABS: Record<string, RecurrenceStatus[]> = {
  waiting: ['PENDING', 'PROCESSING'],
  active: ['ACTIVE'],
  over: ['REJECTED', 'EXPIRED', 'CANCELLED', 'ENDED', 'FAILED'],
}

/** Lists the tabs of the list: by status, and of the recurrences whose last due charge is not paid. */
async function listRecurrenceTabs({ em, token }: RecurrenceVisit): Promise<ListTab[]> {
  const [counts, pastDue] = await Promise.all([
    countVisibleStates(em.fork(), { noun: 'recurrence', token }),
    countVisibleRows(em.fork(), { noun: 'recurrence', token, filter: buildPastDueCondition(true) }),
  ])
  const [waiting, active, over] = listStatusTabs(RECURRENCE_TABS, counts, recurrenceMachine)
  return [
    { name: 'all', query: {} },
    waiting!,
    active!,
    { name: 'pastDue', query: { is_past_due: 'true' }, count: pastDue },
    over!,
  ]
}

/** Status of a recurrence on a page: that of the API, but of an active one what its payer has done. */
export function getShownRecurrenceStatus<Status extends string>(status: Status): Status | 'AUTHORIZED' {
  return status === 'ACTIVE' ? 'AUTHORIZED' : status
}

/** Renders a recurrence with its code, its cycles and the actions possible now. */
export async function renderRecurrence(visit: RecurrenceVisit) {
  const { em, token, params, language } = visit
  const { row, isPastDue } = await requireVisibleRecurrence(em.fork(), token, params.uuid)
  const { uuid, state } = row
  const recurrence = showRecurrence(row, { isPastDue })
  const model = {
    recurrence,
    shownStatus: getShownRecurrenceStatus(recurrence.status),
    explanation: explainState(visit, row),
    history: row.history.map(({ status, created_at }) => ({
      status: getShownRecurrenceStatus(status),
      created_at,
    })),
    cycles: await listCycles(visit, row),
    mode: await findConnectionMode(em.fork(), row.connection.uuid),
    related: await loadRelated(visit, {
      uuid,
      recurrenceUuid: uuid,
      attempted: { uuid, operations: ['create_recurrence'] },
      actionSubjects: [`recurrence/${uuid}`],
      ledgerUuid: null,
    }),
    isAuthorizable: state === 'pending' || state === 'processing',
    isCancellable: recurrenceMachine.accepts(state, 'cancelled'),
    dueDays:
      row.generate === 'MANUAL' && isChargeableRecurrenceState(state)
        ? findDueDays(computeBrasiliaDay(new Date()))
        : null,
    moves: !recurrenceMachine.isFinal(state) && (state !== 'active' || row.cancelRequestedAt != null),
    version: encodeFacts(language, listRecurrenceFacts(visit, row)),
  }
  return createPage('recurrence', model, `${RECURRENCES_PAGE_PATH}/${uuid}`)
}

/** Explains what a recurrence waits for; null once it is over. */
function explainState({ t, f }: RecurrenceVisit, row: Recurrence): string | null {
  const { state, journey, requestedAt, requestExpiresAt, generate, cancelRequestedAt } = row
  if (recurrenceMachine.isFinal(state)) return null
  if (cancelRequestedAt) return t('recurrence.waits.cancellation')
  if (state === 'creating') return t('recurrence.waits.creating')
  if (state === 'processing') return t('recurrence.waits.processing')
  if (state === 'active') {
    const { next } = findStoredCreation(row, new Date())
    if (generate === 'AUTOMATIC' && !next) return t('recurrence.waits.end')
    const gaps = next && { day: f.date(next.cycle.dueDay), time: f.plainTime(next.createAt) }
    return t(`recurrence.waits.active.${generate}`, gaps ?? {})
  }
  if (journey !== 'REQUEST') return t(`recurrence.waits.pending.${journey}`)
  const until = requestExpiresAt ? f.plainTime(requestExpiresAt) : ''
  return t(requestedAt ? 'recurrence.waits.request' : 'recurrence.waits.sending', { until })
}

/** Lists the cycles, the newest first: those with a charge and its tries, those that were skipped, and the next one. */
async function listCycles({ em, token }: RecurrenceVisit, row: Recurrence) {
  const query = { recurrence_uuid: row.uuid, per_page: SHOWN_CYCLES, cursor: '', time_zone: 'UTC' }
  const { data, meta } = await listCharges(em.fork(), token, query)
  const { next } = findStoredCreation(row, new Date())
  const charged = data.map(charge => ({
    cycle: charge.cycle!,
    dueOn: charge.debitOn!,
    charge: { uuid: charge.uuid, cents: charge.totalCents, shownStatuses: listShownStatuses(charge) },
    createAt: null,
    tries: charge.tries,
    canRetry: listOpenRetryDays(row, charge).length > 0,
  }))
  const notCharged = [
    ...row.skippedCycles.map(({ cycle, dueOn }) => ({ cycle, dueOn, createAt: null })),
    ...(next ? [{ cycle: next.cycle.number, dueOn: next.cycle.dueDay, createAt: next.createAt }] : []),
  ].map(cycle => ({ ...cycle, charge: null, tries: [], canRetry: false }))
  const rows = [...notCharged, ...charged].toSorted((a, b) => b.cycle - a.cycle)
  return { rows: rows.slice(0, SHOWN_CYCLES), hasMore: meta.next_cursor !== null }
}

/** Lists what the forms of a recurrence's page depend on. */
function listRecurrenceFacts({ t }: RecurrenceVisit, { state }: Pick<Recurrence, 'state'>): ShownFact[] {
  const status = getShownRecurrenceStatus(recurrenceMachine.statusOf(state))
  return [{ name: 'field.status', value: t(`status.${status}`) }]
}

/** Reads what the forms of a recurrence's page depend on now. */
export async function readRecurrenceFacts(visit: RecurrenceVisit): Promise<ShownFact[]> {
  const { row } = await requireVisibleRecurrence(visit.em.fork(), visit.token, visit.params.uuid)
  return listRecurrenceFacts(visit, row)
}
