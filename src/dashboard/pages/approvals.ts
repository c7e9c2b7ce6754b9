import { showApproval } from '../../contract/transfers/transfer.ts'
import { listWaitingApprovals, type WaitingApproval } from '../../db/repositories/approvals.ts'
import type { ApprovalSubject } from '../../domain/approvals/approval.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { TRANSFERS_PAGE_PATH } from './transfers/transfers.ts'

const PATH = '/dashboard/approvals'
/** Most orders on the page; those that expire first. */
const MAX_LISTED = 100

/** Page of what waits: each is approved or rejected there. */
const SUBJECT_PATHS: Record<ApprovalSubject, string> = {
  transfer: TRANSFERS_PAGE_PATH,
  batch: `${TRANSFERS_PAGE_PATH}/batches`,
}

/** Registers the page of the orders that wait for the approval of the user who reads it. */
export function registerApprovalPage({ get }: DashboardRouter): void {
  get('transfers.write', PATH, async ({ em, token: { accountUuid }, session: { user } }) => {
    const request = { accountUuid, person: user.email, limit: MAX_LISTED }
    const rows = (await listWaitingApprovals(em.fork(), request)).map(presentWaiting)
    return createPage('approvals', { rows }, PATH)
  })
}

function presentWaiting(waiting: WaitingApproval) {
  const { subject, subjectUuid: uuid } = waiting
  const { maker, needed, requestedAt, expiresAt, valueCents, receiver } = waiting
  const path = `${SUBJECT_PATHS[subject]}/${uuid}`
  const given = showApproval(waiting).given.length
  return { uuid, path, maker, needed, given, requestedAt, expiresAt, valueCents, receiver }
}
