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
import type { disputeSchema } from './dispute.ts'

/** Examples of the OpenAPI document: the payer's bank claims the payment of the charge back. */

const { paying, paid, disputed, answered, due } = EXAMPLE_TIMES

export const DISPUTE_EXAMPLE: z.input<typeof disputeSchema> = {
  uuid: EXAMPLE_UUIDS.dispute,
  pix_in_transaction: {
    uuid: EXAMPLE_UUIDS.chargeMovement,
    initiation: {
      sender: EXAMPLE_PAYER,
      receiver: EXAMPLE_MERCHANT,
      txid: EXAMPLE_TXID,
      value: '151.74',
      type: 'QR_DYNAMIC',
      pix_key: '0a1b6e52-7c3d-4f98-8b2e-9d4c7a5f1e60',
      additional_info: [],
      status: 'COMPLETED',
      expires_at: null,
      created_at: paying,
      updated_at: paid,
    },
    value: '151.74',
    movement_type: 'IN',
    type: 'EXTERNAL_TRANSFER',
    status: 'SETTLED',
    end_to_end: EXAMPLE_END_TO_END.charge,
    settled_at: paid,
    created_at: paying,
    updated_at: paid,
  },
  attachments: [],
  med_type: 'RECEIVED_MED',
  dispute_type: 'SCAM',
  status: 'PENDING',
  details: 'O pagador informa que o produto nunca foi entregue.',
  analysis: '',
  resolved: false,
  due_at: due,
  value: 151.74,
  blocked_value: 151.74,
  charge_uuid: EXAMPLE_UUIDS.charge,
  provider: EXAMPLE_PROVIDER,
  created_at: disputed,
  updated_at: disputed,
}

export const ANSWERED_DISPUTE_EXAMPLE: z.input<typeof disputeSchema> = {
  ...DISPUTE_EXAMPLE,
  attachments: [
    {
      uuid: EXAMPLE_UUIDS.attachment,
      url: `https://pix.example.com/files/meds/${EXAMPLE_UUIDS.dispute}/${EXAMPLE_UUIDS.attachment}.pdf?expires=1795687953&signature=Qm3p0xk8Jv2sT7dZy4LrNw6aFh1cBe9u`,
    },
  ],
  status: 'PROCESSING',
  analysis: 'The goods were delivered; the receipt is attached.',
  updated_at: answered,
}
