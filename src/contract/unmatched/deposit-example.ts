import type { z } from 'zod'
import { CHARGE_EXAMPLE } from '../charges/charge-example.ts'
import { MOVEMENT_EXAMPLE } from '../ledger/ledger-example.ts'
import { EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { acceptedReturnResponse, depositSchema } from './deposit.ts'
import type { assignDepositBody, assignedDepositResponse } from './deposit-assignment.ts'

/** Examples of the OpenAPI document: a PIX that pays no charge goes back to its payer. */

const { charge_uuid: _, ...movement } = MOVEMENT_EXAMPLE

const depositMovement = {
  ...movement,
  uuid: EXAMPLE_UUIDS.deposit,
  initiation: { ...movement.initiation, txid: null, type: 'KEY' },
  reason: 'deposit',
} as const

export const DEPOSIT_EXAMPLE: z.input<typeof depositSchema> = {
  ...depositMovement,
  return: {
    status: 'COMPLETED',
    uuid: EXAMPLE_UUIDS.depositReturn,
    created_at: EXAMPLE_TIMES.refunded,
  },
}

export const ACCEPTED_RETURN_EXAMPLE: z.input<typeof acceptedReturnResponse> = {
  message: 'The return was accepted.',
  data: { ...DEPOSIT_EXAMPLE, return: { ...DEPOSIT_EXAMPLE.return!, status: 'PROCESSING' } },
}

/** A deposit whose return its provider has refused. */
export const UNRETURNED_DEPOSIT_EXAMPLE: z.input<typeof depositSchema> = {
  ...DEPOSIT_EXAMPLE,
  return: {
    ...DEPOSIT_EXAMPLE.return!,
    status: 'FAILED',
    error: { code: 'AC06', message: "the receiver's account is blocked", provider_code: 'AC06' },
  },
}

/** A deposit that its account has assigned to the code of a counter. */
export const ASSIGN_DEPOSIT_EXAMPLE: z.input<typeof assignDepositBody> = {
  qr_code_uuid: EXAMPLE_UUIDS.qrCode,
}
export const ASSIGNED_DEPOSIT_EXAMPLE: z.input<typeof assignedDepositResponse> = {
  message: 'The deposit was assigned.',
  data: { ...CHARGE_EXAMPLE, qr_code_uuid: EXAMPLE_UUIDS.qrCode },
}
