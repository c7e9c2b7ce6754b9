import type { z } from 'zod'
import {
  EXAMPLE_END_TO_END,
  EXAMPLE_MERCHANT,
  EXAMPLE_PAYER,
  EXAMPLE_PROVIDER,
  EXAMPLE_TIMES,
  EXAMPLE_TXID,
  EXAMPLE_UUIDS,
} from '../shared/example-values.ts'
import type { ledgerLineSchema } from './ledger-line.ts'
import type { movementSchema } from './movement.ts'

/** Examples of the OpenAPI document: the PIX that paid the charge, and the one that gives a part of it back. */

const { paying, paid, refunded } = EXAMPLE_TIMES

export const MOVEMENT_EXAMPLE = {
  uuid: EXAMPLE_UUIDS.chargeMovement,
  initiation: {
    sender: EXAMPLE_PAYER,
    receiver: EXAMPLE_MERCHANT,
    txid: EXAMPLE_TXID,
    value: 151.74,
    type: 'QR_DYNAMIC',
    pix_key: '0a1b6e52-7c3d-4f98-8b2e-9d4c7a5f1e60',
    status: 'COMPLETED',
    expires_at: null,
    created_at: paying,
    updated_at: paid,
  },
  value: 151.74,
  movement_type: 'IN',
  type: 'EXTERNAL_TRANSFER',
  status: 'SETTLED',
  end_to_end: EXAMPLE_END_TO_END.charge,
  charge_uuid: EXAMPLE_UUIDS.charge,
  provider: EXAMPLE_PROVIDER,
  settled_at: paid,
  created_at: paying,
  updated_at: paid,
} satisfies z.input<typeof movementSchema>

export const RETURN_MOVEMENT_EXAMPLE: z.input<typeof movementSchema> = {
  uuid: EXAMPLE_UUIDS.refundMovement,
  initiation: {
    sender: EXAMPLE_MERCHANT,
    receiver: EXAMPLE_PAYER,
    txid: null,
    value: 50.25,
    type: 'REFUND',
    status: 'COMPLETED',
    expires_at: null,
    created_at: refunded,
    updated_at: refunded,
  },
  value: 50.25,
  movement_type: 'OUT',
  type: 'EXTERNAL_REFUND',
  status: 'SETTLED',
  end_to_end: EXAMPLE_END_TO_END.refund,
  charge_uuid: EXAMPLE_UUIDS.charge,
  original_uuid: EXAMPLE_UUIDS.chargeMovement,
  provider: EXAMPLE_PROVIDER,
  settled_at: refunded,
  created_at: refunded,
  updated_at: refunded,
}

/** Example of the OpenAPI document: the payment of the charge, before its fee. */
export const LEDGER_LINE_EXAMPLE: z.input<typeof ledgerLineSchema> = {
  uuid: EXAMPLE_UUIDS.chargeMovement,
  line_uuid: 'b2f7c0e9-4a61-4d38-8e5b-6d9a1c3f7e04',
  type: 'EXTERNAL_TRANSFER',
  movement_type: 'IN',
  value: 151.74,
  balance: '8563.11',
  balance_after: 8563.11,
  status: 'SETTLED',
  end_to_end: EXAMPLE_END_TO_END.charge,
  external_ref: 'order-1042',
  counterparty: { name: 'Maria Souza', document: '***982247**' },
  operation_type: 'CHARGE',
  operation_uuid: EXAMPLE_UUIDS.charge,
  charge_uuid: EXAMPLE_UUIDS.charge,
  provider: EXAMPLE_PROVIDER,
  settled_at: EXAMPLE_TIMES.paid,
  created_at: EXAMPLE_TIMES.paid,
}
