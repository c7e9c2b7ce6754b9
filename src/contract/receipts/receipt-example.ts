import type { z } from 'zod'
import { MOVEMENT_EXAMPLE, RETURN_MOVEMENT_EXAMPLE } from '../ledger/ledger-example.ts'
import { EXAMPLE_AUTHENTICATION, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { receiptCheckSchema, receiptSchema } from './receipt.ts'

/** Examples of the OpenAPI document: the receipt of the charge, of which a part was given back. */

const { uuid, value, end_to_end, settled_at } = RETURN_MOVEMENT_EXAMPLE

export const RECEIPT_EXAMPLE: z.input<typeof receiptSchema> = {
  kind: 'PAYMENT',
  uuid: EXAMPLE_UUIDS.charge,
  official: false,
  issuer: null,
  mode: 'live',
  pix: MOVEMENT_EXAMPLE,
  returned_value: value,
  returns: [{ uuid, value, end_to_end, settled_at }],
  authentication: EXAMPLE_AUTHENTICATION,
  check_url: `https://pix.example.com/receipts/${EXAMPLE_AUTHENTICATION}`,
  checkable_until: '2031-11-21T12:04:27.903551Z',
  share_url: 'https://pix.example.com/receipts/shared/sealed.k1.Yk1PZ0hQb3c3cUxV',
  shared_until: '2026-11-23T09:30:00.000000Z',
}

export const RECEIPT_CHECK_EXAMPLE: z.input<typeof receiptCheckSchema> = {
  mode: 'live',
  value: 151.74,
  day: '2026-11-21',
  sender: 'M. S.',
  receiver: 'L. A. L.',
  returned_value: 50.25,
}
