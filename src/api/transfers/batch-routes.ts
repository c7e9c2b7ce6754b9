import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import { rejectTransferBody } from '../../contract/transfers/approval.ts'
import { parseBatchCsv } from '../../contract/transfers/batch-csv.ts'
import {
  batchCsvQuery,
  batchesQuery,
  batchItemSchema,
  batchItemsQuery,
  batchSchema,
  createBatchBody,
} from '../../contract/transfers/transfer-batch.ts'
import { BATCH_LIMIT } from '../../http/body.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import {
  BATCHES_PATH,
  cancelTransferBatch,
  createTransferBatch,
  decideTransferBatch,
  listBatchItems,
  listTransferBatches,
  readTransferBatch,
} from '../operations/transfer-batches.ts'

/** Registers the routes of batches of transfers. */
export const transferBatchRoutes: RouteRegistrar = (router, { temporal }) => {
  registerRoute(router, 'post', BATCHES_PATH, {
    isIdempotent: true,
    operationId: 'createTransferBatch',
    scope: 'transfers',
    summary: 'Send money to many PIX keys, bank accounts and PIX codes',
    description:
      'Up to 5,000 items, checked before anything is stored: an error names the field (`items.12.value`). Each item becomes a transfer of its own, which limits and balance may refuse when it is started. With `text/csv` the body is a table with the columns `value`, `external_ref`, `pix_key`, `payload`, `document` and `description`, and of bank accounts `name`, `ispb` or `bank_code`, `agency`, `account` and `account_type`, or their Portuguese names, and the other fields are sent in the query; an error names the line (`lines.14.value`).',
    query: batchCsvQuery,
    body: createBatchBody,
    bodyLimit: BATCH_LIMIT,
    parseCsv: parseBatchCsv,
    responses: {
      202: dataResponse(batchSchema),
      errors: ['account_blocked', 'paused', 'overloaded', 'not_confirmed'],
    },
    handle: request => createTransferBatch(temporal, request),
  })

  registerRoute(router, 'get', BATCHES_PATH, {
    operationId: 'listTransferBatches',
    scope: 'transfers',
    summary: 'List batches of transfers',
    description: 'Newest first, with the counts of their items.',
    query: batchesQuery,
    responses: { 200: pageResponse(batchSchema) },
    handle: async ({ em, token, query }) => ({ body: await listTransferBatches(em, token, query) }),
  })

  registerRoute(router, 'get', `${BATCHES_PATH}/:batch`, {
    operationId: 'getTransferBatch',
    scope: 'transfers',
    summary: 'Read a batch of transfers',
    description: 'With the counts of its items; `waiting_for` says why no further item is started.',
    responses: { 200: dataResponse(batchSchema) },
    handle: async ({ em, token, params }) => ({
      body: { data: await readTransferBatch(em, token, params.batch) },
    }),
  })

  registerRoute(router, 'get', `${BATCHES_PATH}/:batch/items`, {
    operationId: 'listTransferBatchItems',
    scope: 'transfers',
    summary: 'List the items of a batch',
    description: 'In the order in which they were sent. One that was started has a `transfer_uuid`.',
    query: batchItemsQuery,
    responses: { 200: pageResponse(batchItemSchema) },
    handle: async ({ em, token, params, query }) => ({
      body: await listBatchItems(em, token, { uuid: params.batch, query }),
    }),
  })

  registerRoute(router, 'post', `${BATCHES_PATH}/:batch/approve`, {
    operationId: 'approveTransferBatch',
    scope: 'transfers',
    tokens: 'global_only',
    summary: 'Approve a batch that is DRAFT',
    description:
      'By a person who has not ordered it. It is PROCESSING once as many persons as its account requires have approved its sum.',
    responses: {
      200: dataResponse(batchSchema),
      errors: [
        'account_blocked',
        'approver_is_maker',
        'approver_not_allowed',
        'not_waiting_for_approval',
        'not_confirmed',
      ],
    },
    handle: async ({ em, token, params: { batch: uuid } }) => ({
      body: { data: await decideTransferBatch(temporal, { em, token, uuid }, { verdict: 'approve' }) },
    }),
  })

  registerRoute(router, 'post', `${BATCHES_PATH}/:batch/reject`, {
    operationId: 'rejectTransferBatch',
    scope: 'transfers',
    tokens: 'global_only',
    summary: 'Reject a batch that is DRAFT',
    description: 'By a person who has not ordered it. It is CANCELLED, and no item is started.',
    body: rejectTransferBody,
    responses: {
      200: dataResponse(batchSchema),
      errors: ['approver_is_maker', 'approver_not_allowed', 'not_waiting_for_approval', 'not_confirmed'],
    },
    async handle({ em, token, params: { batch: uuid }, body: { reason } }) {
      const verdict = { verdict: 'reject', reason } as const
      return { body: { data: await decideTransferBatch(temporal, { em, token, uuid }, verdict) } }
    },
  })

  registerRoute(router, 'post', `${BATCHES_PATH}/:batch/cancel`, {
    operationId: 'cancelTransferBatch',
    scope: 'transfers',
    summary: 'Cancel a batch',
    description: 'Possible while it is DRAFT or PROCESSING. Items that were started go on.',
    responses: { 200: dataResponse(batchSchema), errors: ['batch_not_cancellable', 'not_confirmed'] },
    handle: async ({ em, token, params: { batch: uuid } }) => ({
      body: { data: await cancelTransferBatch(temporal, { em, token, uuid }) },
    }),
  })
}
