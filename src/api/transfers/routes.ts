import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import { createAccountTransferBody } from '../../contract/transfers/account-transfer.ts'
import { exceededLimitSchema, rejectTransferBody } from '../../contract/transfers/approval.ts'
import { createCodeTransferBody } from '../../contract/transfers/code-transfer.ts'
import {
  createTransferBody,
  showTransfer,
  transferSchema,
  transfersQuery,
} from '../../contract/transfers/transfer.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import type { AnyRoute } from '../http/route-definition.ts'
import {
  CODE_TRANSFERS_PATH,
  collectCodeTransferErrors,
  createCodeTransfer,
} from '../operations/code-transfers.ts'
import { decideTransfer } from '../operations/transfer-approvals.ts'
import {
  ACCOUNT_TRANSFERS_PATH,
  cancelMerchantTransfer,
  collectAccountTransferErrors,
  collectTransferErrors,
  createAccountTransfer,
  createTransfer,
  listTransfers,
  requireVisibleTransfer,
  TRANSFERS_PATH,
} from '../operations/transfers.ts'

/** Responses to the order of a transfer, wherever it goes. */
const TRANSFER_RESPONSES = {
  201: dataResponse(transferSchema),
  errors: [
    'provider_rejected',
    'external_ref_in_use',
    'over_limit',
    'possible_duplicate',
    'receiver_changed',
    'receiver_mismatch',
    'key_blocked_for_fraud',
    'no_provider_available',
    'paused',
    'overloaded',
    'account_blocked',
    'not_started',
    'not_found_after_restore',
    'not_confirmed',
  ],
  errorData: {
    schema: transferSchema,
    codes: [
      'provider_rejected',
      'over_limit',
      'possible_duplicate',
      'no_provider_available',
      'not_started',
      'not_found_after_restore',
    ],
    // A transfer that was stored before; or none, where the request was refused at once.
    optionalCodes: [
      'external_ref_in_use',
      'account_blocked',
      'paused',
      'receiver_changed',
      'key_blocked_for_fraud',
    ],
  },
} as const satisfies AnyRoute['responses']
/** Why a person's verdict about a transfer is refused. */
const VERDICT_ERRORS = [
  'approver_is_maker',
  'approver_not_allowed',
  'not_waiting_for_approval',
  'not_confirmed',
] as const

const CODE_TRANSFER_RESPONSES = {
  ...TRANSFER_RESPONSES,
  errors: [
    ...TRANSFER_RESPONSES.errors,
    'qr_invalid',
    'qr_unreadable',
    'qr_not_payable',
    'qr_changed',
    'qr_value_mismatch',
  ],
} as const satisfies AnyRoute['responses']

export const transferRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'post', TRANSFERS_PATH, {
    isIdempotent: true,
    operationId: 'createTransfer',
    scope: 'transfers',
    summary: 'Send money to a PIX key',
    description:
      'Answers PROCESSING when a provider has accepted, or after ten seconds without an outcome; 400 with the stored transfer (`status` FAILED, `error`) when all providers have rejected it.',
    body: createTransferBody,
    validateSemantics: collectTransferErrors,
    responses: TRANSFER_RESPONSES,
    handle: request => createTransfer(dependencies, request),
  })

  registerRoute(router, 'post', ACCOUNT_TRANSFERS_PATH, {
    isIdempotent: true,
    operationId: 'createAccountTransfer',
    scope: 'transfers',
    summary: 'Send money to a bank account',
    description:
      'Like a transfer to a PIX key, for a receiver without one: `initiation.type` is MANUAL and `pix_key` empty. Providers that pay no account of this type are skipped.',
    body: createAccountTransferBody,
    validateSemantics: collectAccountTransferErrors,
    responses: TRANSFER_RESPONSES,
    handle: request => createAccountTransfer(dependencies, request),
  })

  registerRoute(router, 'post', CODE_TRANSFERS_PATH, {
    isIdempotent: true,
    operationId: 'createCodeTransfer',
    scope: 'transfers',
    summary: 'Pay a PIX code',
    description:
      'Reads the code at the bank of its receiver, and pays what it asks at this moment: `initiation.type` is QR_DYNAMIC or QR_STATIC, with its `txid`. Providers that do not pay codes of this kind are skipped; a static code without a txid may be paid as a transfer to its key. A bank that reports another value or receiver contradicts the order: the transfer is not settled by it, and an operator is alerted.',
    body: createCodeTransferBody,
    validateSemantics: collectCodeTransferErrors,
    responses: CODE_TRANSFER_RESPONSES,
    handle: request => createCodeTransfer(dependencies, request),
  })

  registerRoute(router, 'get', TRANSFERS_PATH, {
    operationId: 'listTransfers',
    scope: 'transfers',
    summary: 'List transfers',
    description: 'Newest first. Each one as its own GET shows it.',
    query: transfersQuery,
    responses: { 200: pageResponse(transferSchema) },
    handle: async ({ em, token, query }) => ({ body: await listTransfers(em, token, query) }),
  })

  registerRoute(router, 'get', `${TRANSFERS_PATH}/:uuid`, {
    operationId: 'getTransfer',
    scope: 'transfers',
    summary: 'Read a transfer with its attempts',
    description:
      '`outcome` is `unknown` while no provider has said whether the money left; it is asked again at `next_check_at`.',
    responses: { 200: dataResponse(transferSchema) },
    async handle({ em, token, params }) {
      const transfer = await requireVisibleTransfer(em, token, params.uuid)
      return { body: { data: showTransfer(transfer, transfer.attempts) } }
    },
  })

  registerRoute(router, 'post', `${TRANSFERS_PATH}/:uuid/cancel`, {
    operationId: 'cancelTransfer',
    scope: 'transfers',
    summary: 'Cancel a transfer that waits',
    description: 'Possible while it is PENDING: before its time, or before its approvals.',
    responses: { 200: dataResponse(transferSchema), errors: ['transfer_not_cancellable', 'not_confirmed'] },
    async handle({ em, token, params: { uuid } }) {
      const { temporal } = dependencies
      return { body: { data: await cancelMerchantTransfer(temporal, { em, token, uuid }) } }
    },
  })

  registerRoute(router, 'post', `${TRANSFERS_PATH}/:uuid/approve`, {
    operationId: 'approveTransfer',
    scope: 'transfers',
    summary: 'Approve a transfer that waits for approvals',
    description:
      'By the person who made the token: not the one who ordered the transfer, and each person counts once. With the last approval that it needs it is sent, or waits for its time. A PIX code is read again before: the approval of one that has changed is refused.',
    tokens: 'global_only',
    responses: {
      200: dataResponse(transferSchema),
      errors: [
        ...VERDICT_ERRORS,
        'account_blocked',
        'limits_changed',
        'qr_invalid',
        'qr_unreadable',
        'qr_not_payable',
        'qr_changed',
      ],
      errorData: { schema: exceededLimitSchema, codes: ['limits_changed'] },
    },
    async handle({ em, token, params: { uuid } }) {
      return { body: { data: await decideTransfer(dependencies, { em, token, uuid, verdict: 'approve' }) } }
    },
  })

  registerRoute(router, 'post', `${TRANSFERS_PATH}/:uuid/reject`, {
    operationId: 'rejectTransfer',
    scope: 'transfers',
    summary: 'Reject a transfer that waits for approvals',
    description:
      'By another person than the one who ordered it. It is cancelled, and its money is available again.',
    tokens: 'global_only',
    body: rejectTransferBody,
    responses: { 200: dataResponse(transferSchema), errors: VERDICT_ERRORS },
    async handle({ em, token, params: { uuid }, body: { reason } }) {
      return {
        body: { data: await decideTransfer(dependencies, { em, token, uuid, verdict: 'reject', reason }) },
      }
    },
  })
}
