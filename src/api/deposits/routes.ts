import { dataResponse } from '../../contract/shared/fields.ts'
import { acceptedReturnResponse, depositSchema, showDeposit } from '../../contract/unmatched/deposit.ts'
import { assignDepositBody, assignedDepositResponse } from '../../contract/unmatched/deposit-assignment.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { assignDeposit } from '../operations/deposit-assignments.ts'
import { createDepositReturn, requireVisibleDeposit } from '../operations/deposits.ts'

/** Registers the routes of deposits: received PIX that pay no charge (SPEC §2). */
export const depositRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'get', '/api/v1/deposits/:uuid', {
    operationId: 'getDeposit',
    scope: 'refunds',
    summary: 'Read a deposit and its return',
    description:
      'A received PIX that pays no charge, by the `uuid` of its PIX_TRANSACTION event or of its line in the ledger. `return` is null while it stays with the account. Once it is assigned to a QR code, `charge_uuid` names the charge that it pays.',
    responses: { 200: dataResponse(depositSchema) },
    async handle({ em, token, params }) {
      return { body: { data: showDeposit(await requireVisibleDeposit(em, token, params.uuid)) } }
    },
  })

  registerRoute(router, 'post', '/api/v1/deposits/:uuid/return', {
    isIdempotent: true,
    operationId: 'returnDeposit',
    scope: 'refunds',
    summary: 'Return a deposit to its payer',
    description:
      'The whole value, within 90 days of the payment; a part of it is not returned. Answers when the money is held; the PIX_TRANSACTION event of the return, with the deposit as its `original_uuid`, says how it ends.',
    responses: {
      200: acceptedReturnResponse,
      errors: [
        'account_blocked',
        'provider_rejected',
        'return_in_progress',
        'deposit_not_returnable',
        'return_med_open',
        'return_period_over',
        'insufficient_balance',
        'paused',
        'overloaded',
        'not_started',
        'not_confirmed',
      ],
      errorData: {
        schema: depositSchema,
        codes: ['provider_rejected', 'not_started'],
        // With an order that was stored; or none, where the request was refused at once.
        optionalCodes: [
          'return_in_progress',
          'deposit_not_returnable',
          'return_med_open',
          'return_period_over',
          'insufficient_balance',
        ],
      },
    },
    handle: ({ params, ...request }) =>
      createDepositReturn(dependencies, { ...request, body: {}, depositUuid: params.uuid }),
  })

  registerRoute(router, 'post', '/api/v1/deposits/:uuid/assign', {
    isIdempotent: true,
    operationId: 'assignDeposit',
    scope: 'refunds',
    summary: 'Assign a deposit to a QR code',
    description:
      'A PIX from which the app of the payer left the txid out pays the code that you name, as if it had named it: a charge that is PAID at once, or the PENDING charge of the code, with the fee and the splits of the code. Once, and for good: the charge can be refunded.',
    body: assignDepositBody,
    responses: {
      200: assignedDepositResponse,
      errors: [
        'account_blocked',
        'deposit_not_assignable',
        'qr_code_does_not_fit',
        'deposit_spent',
        'not_confirmed',
      ],
    },
    handle: ({ params, ...request }) => assignDeposit(dependencies, { ...request, depositUuid: params.uuid }),
  })
}
