import { contestDispute, getContestErrorCode, requireContestable } from '../../api/operations/contests.ts'
import { readDisputeEvidence } from '../../api/operations/dispute-evidence.ts'
import { cancelRequestedDispute, isCancellableThere } from '../../api/operations/dispute-requests.ts'
import {
  listDisputes,
  listDisputesByDeadline,
  replyToDispute,
  requireAnswerableDispute,
  requireVisibleDispute,
  showDisputeWithAttachments,
} from '../../api/operations/disputes.ts'
import {
  contestForm,
  disputeReplyForm,
  disputesQuery,
  type showDispute,
} from '../../contract/disputes/dispute.ts'
import { showEvidenceDocument } from '../../contract/disputes/evidence-document.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import { readInSnapshot } from '../../db/client/transaction.ts'
import { Contest, type Dispute } from '../../db/entities/dispute.ts'
import { ATTACHMENT_TYPES, MAX_ATTACHMENTS } from '../../domain/disputes/attachment.ts'
import {
  DISPUTE_KINDS,
  DISPUTE_STATUSES,
  DISPUTE_TYPES,
  disputeMachine,
  replyErrorCodeOf,
} from '../../domain/disputes/dispute.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import { fail } from '../../http/api-error.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { renderPdf } from '../../views/pdf-document.ts'
import type { Confirmation } from '../http/confirmation.ts'
import { parseFormFields } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { encodeFacts, type ShownFact } from '../http/shown-facts.ts'
import { formatDocument } from '../views/formats.ts'
import { nameFile, registerAccountList } from './account-list.ts'
import { loadRelated } from './related.ts'
import { buildStory } from './story.ts'

export const DISPUTES_PAGE_PATH = '/dashboard/disputes'

/** Columns of the list as CSV. */
const DISPUTE_COLUMNS: CsvColumns<ReturnType<typeof showDispute>> = {
  created_at: dispute => dispute.created_at,
  status: dispute => dispute.status,
  med_type: dispute => dispute.med_type,
  dispute_type: dispute => dispute.dispute_type,
  value: dispute => dispute.value,
  blocked_value: dispute => dispute.blocked_value,
  due_at: dispute => dispute.due_at,
  resolved: dispute => dispute.resolved,
  contestable_until: dispute => dispute.contestable_until,
  contest_status: dispute => dispute.contest?.status,
  payer_name: dispute => dispute.pix_in_transaction.initiation.sender?.name,
  payer_document: dispute => formatDocument(dispute.pix_in_transaction.initiation.sender?.document ?? ''),
  details: dispute => dispute.details,
  analysis: dispute => dispute.analysis,
  end_to_end: dispute => dispute.pix_in_transaction.end_to_end,
  charge_uuid: dispute => dispute.charge_uuid,
  transfer_uuid: dispute => dispute.transfer_uuid,
  provider: dispute => dispute.provider.provider,
  provider_uuid: dispute => dispute.provider.uuid,
  uuid: dispute => dispute.uuid,
}

export function registerDisputePages(router: DashboardRouter): void {
  const { get, post, dashboard } = router
  const { storage } = dashboard
  registerAccountList(router, {
    name: 'disputes',
    path: DISPUTES_PAGE_PATH,
    searchedNoun: 'dispute',
    schema: disputesQuery,
    columns: DISPUTE_COLUMNS,
    list: ({ em, token }, query) => listDisputes(em.fork(), storage, token, query),
    present: async ({ em, token }, rows) => ({
      rows: rows.map(({ attachments: _, ...dispute }) => dispute),
      due: await listDisputesByDeadline(em.fork(), token),
      urgencyOf: (dueAt: Date) => (dueAt.getTime() - Date.now() < DAY ? 'failed' : 'pending'),
      statuses: DISPUTE_STATUSES,
      kinds: DISPUTE_KINDS,
      types: DISPUTE_TYPES,
    }),
  })

  get('money.read', `${DISPUTES_PAGE_PATH}/:uuid`, dispute)

  get('money.read', `${DISPUTES_PAGE_PATH}/:uuid/evidence.pdf`, async visit => {
    const { em, token, params, language } = visit
    const evidence = await readDisputeEvidence(em, token, params.uuid)
    const name = await nameFile(visit, { name: 'evidence', mode: evidence.mode, period: evidence.uuid })
    const body = await renderPdf(showEvidenceDocument(evidence, language))
    return { kind: 'file', type: 'application/pdf', name: `${name}.pdf`, body }
  })

  post('disputes.write', `${DISPUTES_PAGE_PATH}/:uuid/reply`, {
    beforeBody: ({ em, token, params }) =>
      requireAnswerableDispute({ em: em.fork(), token, uuid: params.uuid }),
    async handle({ em, token, params, upload, requestId }) {
      const errors: FieldErrors = upload.understood === '1' ? {} : { understood: ['must be confirmed'] }
      const fields = { ...upload, analysis: asCounted(upload.analysis) }
      const form = parseFormFields(disputeReplyForm, fields, errors)
      await replyToDispute(dashboard, { em, token, uuid: params.uuid, form, requestId })
      return redirect(`${DISPUTES_PAGE_PATH}/${params.uuid}`, 'replied')
    },
    async listFacts(visit) {
      const row = await requireVisibleDispute(visit.em.fork(), visit.token, visit.params.uuid)
      return listDisputeFacts(visit, row)
    },
    renderForm: dispute,
  })

  post('disputes.write', `${DISPUTES_PAGE_PATH}/:uuid/contest`, {
    async beforeBody({ em, token, params }) {
      await requireContestable({ em: em.fork(), token, uuid: params.uuid })
    },
    async handle({ em, token, params: { uuid }, upload, requestId }) {
      const errors: FieldErrors = upload.understood === '1' ? {} : { understood: ['must be confirmed'] }
      const fields = { ...upload, analysis: asCounted(upload.analysis) }
      const form = parseFormFields(contestForm, fields, errors)
      await contestDispute(dashboard, { em, token, uuid, form, requestId })
      return redirect(`${DISPUTES_PAGE_PATH}/${uuid}`, 'contested')
    },
    async listFacts(visit) {
      const row = await requireVisibleDispute(visit.em.fork(), visit.token, visit.params.uuid)
      return listDisputeFacts(visit, row)
    },
    renderForm: dispute,
  })

  post('disputes.write', `${DISPUTES_PAGE_PATH}/:uuid/cancel`, {
    confirm: confirmCancellation,
    async handle({ em, token, params: { uuid } }) {
      const { state } = await requireVisibleDispute(em.fork(), token, uuid)
      if (state !== 'cancelled') await cancelRequestedDispute(dashboard, { em, token, uuid })
      return redirect(`${DISPUTES_PAGE_PATH}/${uuid}`, 'dispute_cancelled')
    },
    async listFacts(visit) {
      const row = await requireVisibleDispute(visit.em.fork(), visit.token, visit.params.uuid)
      return listDisputeFacts(visit, row)
    },
    renderForm: dispute,
  })

  /** Normalizes line ends: browsers count one as one character and send two. */
  function asCounted(text: unknown): unknown {
    return typeof text === 'string' ? text.replaceAll('\r\n', '\n') : text
  }

  /** Renders a dispute with its deadline, its attachments and, while it accepts a reply, the reply form. */
  function dispute(visit: PageContext<'merchant'>) {
    const { token, params } = visit
    return readInSnapshot(visit.em, async em => {
      const row = await requireVisibleDispute(em, token, params.uuid)
      const { attachments, ...dispute } = await showDisputeWithAttachments(em, storage, row)
      const contest = await em.findOne(Contest, { disputeUuid: row.uuid })
      const related = await loadRelated(visit, {
        disputeUuid: row.uuid,
        movementUuid: row.movement.uuid,
        actionSubjects: [`med/${row.uuid}`],
        ledgerUuid: row.uuid,
      })
      const model = {
        dispute,
        mode: row.connection.isSimulated ? 'test' : 'live',
        history: buildStory(visit, row.history, related),
        providerAnalysis: row.providerAnalysis,
        accepts: row.accept,
        ourAnalysis: row.analysis,
        repliedAt: row.repliedAt,
        isCancellable: isCancellableThere(row),
        isContestable: getContestErrorCode(row, contest) === null,
        whyNotAnswerable: replyErrorCodeOf({ ...row, hasReply: row.repliedAt != null }),
        version: encodeFacts(visit.language, listDisputeFacts(visit, row)),
        related,
        moves: !disputeMachine.isFinal(row.state),
        attachmentCount: attachments.length,
        files: ATTACHMENT_TYPES.join(','),
        mostFiles: MAX_ATTACHMENTS,
      }
      // Links to attachments are renewed every hour; they do not count as a change of the page.
      return createPage('dispute', { ...model, attachments }, `${DISPUTES_PAGE_PATH}/${row.uuid}`, model)
    })
  }
}

async function confirmCancellation(visit: PageContext<'merchant'>): Promise<Confirmation | null> {
  const { em, token, params, form, t, f } = visit
  const row = await requireVisibleDispute(em.fork(), token, params.uuid)
  // The same form once more: what it asked for is done.
  if (row.state === 'cancelled' && form.has('confirmed')) return null
  if (!isCancellableThere(row)) fail('med_not_cancellable')
  const gaps = { amount: f.money(row.valueCents) }
  return {
    title: t('dispute.cancelTitle', gaps),
    button: t('dispute.cancelNow'),
    facts: [
      { name: 'field.receiver', value: row.movement.receiver?.name ?? '–' },
      { name: 'field.value', value: gaps.amount },
      { name: 'field.end_to_end', value: row.endToEnd },
    ],
    means: t('dispute.cancelMeans'),
    isDangerous: true,
    back: `${DISPUTES_PAGE_PATH}/${row.uuid}`,
  }
}

/** Lists what the forms of a dispute depend on. */
function listDisputeFacts(
  visit: PageContext<'merchant'>,
  { state, heldCents, retainedCents, repliedAt }: Dispute,
): ShownFact[] {
  const { t, f } = visit
  return [
    { name: 'field.status', value: t(`status.${disputeMachine.statusOf(state)}`) },
    { name: 'dispute.blocked', value: f.money(heldCents + retainedCents) },
    { name: 'dispute.ourReply', value: repliedAt ? f.plainTime(repliedAt) : '–' },
  ]
}
