import { disputeReplyForm, disputeSchema, disputesQuery } from '../../contract/disputes/dispute.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import { readInSnapshot } from '../../db/client/transaction.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
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
}
