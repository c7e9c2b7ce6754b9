import type { z } from 'zod'
import { EXAMPLE_PROVIDER, EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { createQrCodeBody, qrCodeSchema } from './qr-code.ts'

/** Examples of the OpenAPI document: the code of a counter, which one payer has paid. */

const order = {
  reference: 'BALCAO3',
  description: 'Loja da Ana',
  external_ref: 'counter-3',
  splits: [{ type: 'PERCENTAGE', value: 10, recipient_account_uuid: EXAMPLE_UUIDS.recipient }],
  on_payment: 'KEEP',
  metadata: { counter: '3' },
} as const

export const CREATE_QR_CODE_EXAMPLE: z.input<typeof createQrCodeBody> = {
  ...order,
  value: 0,
  splits: [...order.splits],
}

export const QR_CODE_EXAMPLE: z.input<typeof qrCodeSchema> = {
  ...order,
  splits: [...order.splits],
  uuid: EXAMPLE_UUIDS.qrCode,
  status: 'ACTIVE',
  payload:
    '00020126730014br.gov.bcb.pix01360a1b6e52-7c3d-4f98-8b2e-9d4c7a5f1e600211Loja da Ana5204000053039865802BR5916Loja da Ana Ltda6008BRASILIA62110507BALCAO3630411B2',
  value: 0,
  total_value: 0,
  fees: 0,
  pix_key: '0a1b6e52-7c3d-4f98-8b2e-9d4c7a5f1e60',
  received: { count: 1, value: 42.5 },
  provider: EXAMPLE_PROVIDER,
  created_at: EXAMPLE_TIMES.created,
  updated_at: EXAMPLE_TIMES.created,
}

export const CREATED_QR_CODE_EXAMPLE: z.input<typeof qrCodeSchema> = {
  ...QR_CODE_EXAMPLE,
  received: { count: 0, value: 0 },
}

export const DISABLED_QR_CODE_EXAMPLE: z.input<typeof qrCodeSchema> = {
  ...QR_CODE_EXAMPLE,
  status: 'DISABLED',
  updated_at: EXAMPLE_TIMES.ordered,
}
