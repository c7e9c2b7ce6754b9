import { listDisputesByDeadline } from '../../api/operations/account-tasks.ts'
import {
  listDisputes,
  replyToDispute,
  requireAnswerableDispute,
  requireVisibleDispute,
  showDisputeWithAttachments,
} from '../../api/operations/disputes.ts'
import { disputesQuery } from '../../contract/disputes/dispute.ts'
import { disputeReplyForm } from '../../contract/disputes/dispute-reply.ts'
import { readInSnapshot } from '../../db/client/orm.ts'
import { ATTACHMENT_TYPES, MAX_ATTACHMENTS } from '../../domain/disputes/attachment.ts'
import {
  DISPUTE_KINDS,
  DISPUTE_STATUSES,
  DISPUTE_TYPES,
  disputeMachine,
  replyErrorCodeOf,
} from '../../domain/disputes/dispute.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { parseFormFields } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { restrictToOneMode } from './connections.ts'
import { listByFilters } from './filtered-list.ts'

const PATH = '/dashboard/disputes'

export function registerDisputePages({ get, post, dashboard }: DashboardRouter): void {
  const { storage } = dashboard

  get('money.read', PATH, async visit => {
    const { token, modes } = await restrictToOneMode(visit)
    const list = await listByFilters(visit, disputesQuery, query =>
      readInSnapshot(visit.em, em => listDisputes(em, storage, token, query)),
    )
    const rows = list.rows.map(({ attachments: _, ...dispute }) => dispute)
    const due = await listDisputesByDeadline(visit.em.fork(), token)
    const names = { statuses: DISPUTE_STATUSES, kinds: DISPUTE_KINDS, types: DISPUTE_TYPES }
    return createPage('disputes', { ...list, rows, ...names, due, mode: token.mode, modes })
  })

  get('money.read', `${PATH}/:uuid`, dispute)

  post('disputes.write', `${PATH}/:uuid/reply`, {
    beforeBody: ({ em, token, params }) =>
      requireAnswerableDispute({ em: em.fork(), token, uuid: params.uuid }),
    async handle({ em, token, params, upload }) {
      const errors: FieldErrors = upload.understood === '1' ? {} : { understood: ['must be confirmed'] }
      const fields = { ...upload, analysis: asCounted(upload.analysis) }
      const form = parseFormFields(disputeReplyForm, fields, errors)
      await replyToDispute(dashboard, { em, token, uuid: params.uuid, form })
      return redirect(`${PATH}/${params.uuid}`, 'replied')
    },
    renderForm: dispute,
  })

  /** Normalizes line ends: browsers count one as one character and send two. */
  function asCounted(text: unknown): unknown {
    return typeof text === 'string' ? text.replaceAll('\r\n', '\n') : text
  }

  /** Renders a dispute with its deadline, its attachments and, while it accepts a reply, the reply form. */
  function dispute({ em: outside, token, params }: PageContext<'merchant'>) {
    return readInSnapshot(outside, async em => {
      const row = await requireVisibleDispute(em, token, params.uuid)
      const { attachments, ...dispute } = await showDisputeWithAttachments(em, storage, row)
      const model = {
        dispute,
        mode: row.connection.isSimulated ? 'test' : 'live',
        history: row.history,
        providerAnalysis: row.providerAnalysis,
        accepts: row.accept,
        ourAnalysis: row.analysis,
        repliedAt: row.repliedAt,
        replyFailure: row.replyFailure,
        whyNotAnswerable: replyErrorCodeOf({ ...row, hasReply: row.repliedAt != null }),
        moves: !disputeMachine.isFinal(row.state),
        proofs: attachments.length,
        files: ATTACHMENT_TYPES.join(','),
        mostFiles: MAX_ATTACHMENTS,
      }
      // Links to attachments are signed anew at each request; they do not count as a change of the page.
      return createPage('dispute', { ...model, attachments }, `${PATH}/${row.uuid}`, model)
    })
  }
}
