import {
  listAccountUnmatchedPayments,
  requireVisibleUnmatchedPayment,
  UNMATCHED_OUTCOMES,
  unmatchedPaymentsQuery,
} from '../../api/operations/unmatched-payments.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import { maskDocument } from '../../domain/pix/document.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { findConnectionMode, restrictToOneMode } from './connections.ts'
import { listByFilters } from './filtered-list.ts'
import { createListFiles, nameFileByMode } from './list-file.ts'
import { loadRelated } from './related.ts'

const PATH = '/dashboard/unmatched'
const FILE_PATH = `${PATH}/unmatched.csv`

type UnmatchedRow = Awaited<ReturnType<typeof listAccountUnmatchedPayments>>['data'][number]

/** Columns of the list as CSV. */
const UNMATCHED_COLUMNS: CsvColumns<UnmatchedRow> = {
  created_at: one => one.createdAt,
  disposition: one => one.disposition,
  value: one => one.cents,
  reason: one => one.reason,
  payer_name: one => one.payer?.name,
  payer_document: one => maskDocument(one.payer?.document ?? ''),
  settled_at: one => one.settledAt,
  end_to_end: one => one.endToEnd,
  charge_uuid: one => one.chargeUuid,
  provider: one => one.provider,
  uuid: one => one.uuid,
}

/** Registers the pages of the payments that an account received without a charge to match. */
export function registerUnmatchedPages({ get }: DashboardRouter): void {
  const openListFile = createListFiles()

  get('money.read', PATH, async visit => {
    const { token, modes } = await restrictToOneMode(visit)
    const list = await listByFilters(visit, unmatchedPaymentsQuery, query =>
      listAccountUnmatchedPayments(visit.em.fork(), token, query),
    )
    const names = { outcomes: UNMATCHED_OUTCOMES, mode: token.mode, modes, file: FILE_PATH }
    return createPage('unmatched', { ...list, ...names })
  })

  get('money.read', FILE_PATH, async visit => {
    const { token } = await restrictToOneMode(visit)
    return openListFile(visit, {
      ...{ name: nameFileByMode('unmatched', token.mode), columns: UNMATCHED_COLUMNS },
      schema: unmatchedPaymentsQuery,
      list: query => listAccountUnmatchedPayments(visit.em.fork(), token, query),
    })
  })

  get('money.read', `${PATH}/:uuid`, async visit => {
    const { em, token, params } = visit
    const payment = await requireVisibleUnmatchedPayment(em.fork(), token, params.uuid)
    const { uuid, connectionUuid } = payment
    const model = {
      payment,
      mode: connectionUuid ? await findConnectionMode(em, connectionUuid) : 'live',
      related: await loadRelated(visit, {
        ...{ movementUuid: uuid, attempted: { uuid, operations: ['return'] } },
        ...{ actionSubjects: [`return/${uuid}`], ledgerUuid: uuid },
      }),
      moves: payment.disposition === 'returning',
    }
    return createPage('unmatched-payment', model, `${PATH}/${uuid}`)
  })
}
