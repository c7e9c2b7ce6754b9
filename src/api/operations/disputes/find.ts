import { type DisputesQuery, showAttachments, showDispute } from '../../../contract/disputes/dispute.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { ATTACHMENT_ORDER, Attachment, Dispute } from '../../../db/entities/dispute.ts'
import { readDisputes } from '../../../db/repositories/disputes.ts'
import { formatTextArray, hasAnyState } from '../../../db/sql-conditions.ts'
import { disputeMachine } from '../../../domain/disputes/dispute.ts'
import { fail } from '../../../http/api-error.ts'
import type { FileStorage } from '../../../storage/storage.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { visibilityFilter } from '../../authorization/scope.ts'
import { buildDayConditions } from '../pagination.ts'
import { listVisibleRows } from '../visible-list.ts'

export async function requireVisibleDispute(em: EntityManager, token: CallerToken, uuid: string) {
  const dispute = await em.findOne(
    Dispute,
    { $and: [{ uuid }, visibilityFilter(token)] },
    { populate: ['connection', 'movement'] },
  )
  return dispute ?? fail('not_found')
}

export async function showDisputeWithAttachments(em: EntityManager, storage: FileStorage, dispute: Dispute) {
  const [found] = await showDisputesWithAttachments(em, storage, [dispute])
  return found!
}

export function listDisputes(
  em: EntityManager,
  storage: FileStorage,
  token: CallerToken,
  query: DisputesQuery,
) {
  const { status, resolved, open } = query
  const { states, statusOf, isFinal } = disputeMachine
  return listVisibleRows(em, {
    ...{ noun: 'dispute', token, query },
    states: status && states.filter(state => status.includes(statusOf(state))),
    filters: [
      query.uuid !== undefined && ['uuid = ?', query.uuid],
      query.med_type && ['kind = any(?::text[])', formatTextArray(query.med_type)],
      query.dispute_type && ['dispute_type = any(?::text[])', formatTextArray(query.dispute_type)],
      ...buildDayConditions('created_at', query.date_from, query.date_to),
      resolved !== undefined && hasAnyState(states.filter(state => isFinal(state) === resolved)),
      open !== undefined &&
        hasAnyState(states.filter(state => ['PENDING', 'PROCESSING'].includes(statusOf(state)) === open)),
    ],
    read: page => readDisputes(em, page),
    show: rows => showDisputesWithAttachments(em, storage, rows),
  })
}

/** Presents disputes with their attachments, which one statement reads for the whole page. */
async function showDisputesWithAttachments(em: EntityManager, storage: FileStorage, disputes: Dispute[]) {
  const uuids = disputes.map(dispute => dispute.uuid)
  const attachments = await em.find(
    Attachment,
    { disputeUuid: { $in: uuids } },
    { orderBy: ATTACHMENT_ORDER },
  )
  const byDispute = Map.groupBy(attachments, ({ disputeUuid }) => disputeUuid)
  return Promise.all(
    disputes.map(async dispute => {
      const attachments = byDispute.get(dispute.uuid) ?? []
      return showDispute(
        dispute,
        await showAttachments(attachments, ({ storageKey }) => storage.createLink(storageKey)),
      )
    }),
  )
}
