import type { z } from 'zod'
import {
  EXAMPLE_END_TO_END,
  EXAMPLE_PROVIDER,
  EXAMPLE_TIMES,
  EXAMPLE_UUIDS,
} from '../shared/example-values.ts'
import type { ledgerLineSchema } from './ledger-line.ts'

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
