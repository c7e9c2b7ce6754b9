import {
  contestForm,
  disputeReplyForm,
  disputeSchema,
  disputesQuery,
  requestDisputeBody,
} from '../../contract/disputes/dispute.ts'
import { showEvidenceDocument } from '../../contract/disputes/evidence-document.ts'
import { receiptPdfQuery } from '../../contract/receipts/receipt.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import { readInSnapshot } from '../../db/client/transaction.ts'
import { renderPdf } from '../../views/pdf-document.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { contestDispute, requireContestable } from '../operations/contests.ts'
import { readDisputeEvidence } from '../operations/dispute-evidence.ts'
import {
  cancelRequestedDispute,
  createDisputeRequest,
  DISPUTES_PATH,
} from '../operations/dispute-requests.ts'
import {
  listDisputes,
  replyToDispute,
  requireAnswerableDispute,
  requireVisibleDispute,
  showDisputeWithAttachments,
} from '../operations/disputes.ts'

export const disputeRoutes: RouteRegistrar = (router, dependencies) => {
  const { storage } = dependencies
  registerRoute(router, 'get', '/api/v1/meds', {
    operationId: 'listMeds',
    scope: 'refunds',
    summary: 'List disputes',
    description: 'Newest first. Each one as its own GET shows it.',
    query: disputesQuery,
    responses: { 200: pageResponse(disputeSchema) },
    handle: async ({ em, token, query }) => ({ body: await listDisputes(em, storage, token, query) }),
  })

  registerRoute(router, 'get', '/api/v1/meds/:uuid', {
    operationId: 'getMed',
    scope: 'refunds',
    summary: 'Read a dispute',
    description: 'With the links of its attachments, which are signed and expire.',
    responses: { 200: dataResponse(disputeSchema) },
    handle: ({ em: requestEm, token, params }) =>
      readInSnapshot(requestEm, async em => ({
        body: {
          data: await showDisputeWithAttachments(
            em,
            storage,
            await requireVisibleDispute(em, token, params.uuid),
          ),
        },
      })),
  })

  registerRoute(router, 'get', '/api/v1/meds/:uuid/evidence.pdf', {
    operationId: 'getMedEvidencePdf',
    scope: 'refunds',
    summary: 'Read what is recorded of a disputed PIX as a PDF',
    description:
      'The dispute, its PIX, the charge or transfer that it belongs to with its history, and the names of the attachments: to attach to a reply, or to hand to a bank. Equal bytes until the dispute changes.',
    query: receiptPdfQuery,
    responses: { 200: 'application/pdf' },
    async handle({ em, token, params: { uuid }, query: { language } }) {
      const evidence = await readDisputeEvidence(em, token, uuid)
      return {
        body: await renderPdf(showEvidenceDocument(evidence, language)),
        headers: {
          'Content-Disposition': `attachment; filename="dispute-${evidence.uuid}.pdf"`,
          'Cache-Control': 'private, no-store',
        },
      }
    },
  })

  registerRoute(router, 'post', DISPUTES_PATH, {
    isIdempotent: true,
    operationId: 'requestMed',
    scope: 'refunds',
    summary: 'Ask for the money of a transfer back',
    description:
      'For fraud, coercion and access by others, within 80 days of the settlement, once for ever for each transfer. Answers once the provider has the request, or with PENDING where it does not answer in time; MED events tell how far it has come. What other banks return of it is credited as it arrives.',
    body: requestDisputeBody,
    responses: {
      201: dataResponse(disputeSchema),
      errors: [
        'account_blocked',
        'provider_rejected',
        'not_found',
        'med_already_asked',
        'med_period_over',
        'transfer_not_disputable',
        'dispute_not_supported',
        'overloaded',
        'not_confirmed',
      ],
      errorData: { schema: disputeSchema, codes: ['provider_rejected'] },
    },
    handle: request => createDisputeRequest(dependencies, request),
  })

  registerRoute(router, 'post', '/api/v1/meds/:uuid/cancel', {
    operationId: 'cancelMed',
    scope: 'refunds',
    summary: 'Cancel a dispute that the account has requested',
    description:
      'At its provider first, then here. Without an answer of the provider it stays as it is, and the provider is asked until the result is known. The transfer cannot be disputed again.',
    responses: {
      200: dataResponse(disputeSchema),
      errors: ['med_not_cancellable', 'cancellation_unknown', 'not_confirmed'],
    },
    handle: async ({ em, token, params }) => ({
      body: { data: await cancelRequestedDispute(dependencies, { em, token, uuid: params.uuid }) },
    }),
  })

  registerRoute(router, 'post', '/api/v1/meds/:uuid/reply', {
    isIdempotent: true,
    operationId: 'replyToMed',
    scope: 'refunds',
    summary: 'Answer a dispute',
    description:
      'Once, while the dispute is PENDING and about money received. The response is PROCESSING; then the reply is sent to the provider.',
    body: disputeReplyForm,
    bodyAs: 'multipart',
    responses: {
      200: dataResponse(disputeSchema),
      errors: ['med_already_answered', 'med_not_answerable', 'not_confirmed'],
    },
    async beforeBody({ params: { uuid }, ...request }) {
      await requireAnswerableDispute({ ...request, uuid })
    },
    handle: ({ params: { uuid }, body: form, ...request }) =>
      replyToDispute(dependencies, { ...request, uuid, form }),
  })

  registerRoute(router, 'post', '/api/v1/meds/:uuid/contest', {
    isIdempotent: true,
    operationId: 'contestMed',
    scope: 'refunds',
    summary: 'Contest what was returned by a dispute',
    description:
      'Once, until `contestable_until` of a RECEIVED_MED. No provider takes it by its API: it is PENDING until the operator of the service has handed it to the provider, then PROCESSING until the decision. MED events tell both.',
    body: contestForm,
    bodyAs: 'multipart',
    responses: {
      200: dataResponse(disputeSchema),
      errors: ['med_not_contestable', 'contest_period_over', 'not_confirmed'],
    },
    async beforeBody({ params: { uuid }, ...request }) {
      await requireContestable({ ...request, uuid })
    },
    handle: ({ params: { uuid }, body: form, ...request }) =>
      contestDispute(dependencies, { ...request, uuid, form }),
  })
}
