import type { z } from 'zod'
import { MOVEMENT_EXAMPLE } from '../ledger/ledger-example.ts'
import { EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { disputeSchema, requestDisputeBody } from './dispute.ts'

/** Examples of the OpenAPI document: the payer's bank claims the payment of the charge back. */

const { disputed, answered, due } = EXAMPLE_TIMES
const { charge_uuid, provider, ...transaction } = MOVEMENT_EXAMPLE

export const DISPUTE_EXAMPLE: z.input<typeof disputeSchema> = {
  uuid: EXAMPLE_UUIDS.dispute,
  pix_in_transaction: {
    ...transaction,
    initiation: { ...transaction.initiation, value: '151.74', additional_info: [] },
    value: '151.74',
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
  charge_uuid,
  provider,
  created_at: disputed,
  updated_at: disputed,
}

export const REQUEST_DISPUTE_EXAMPLE: z.input<typeof requestDisputeBody> = {
  transfer_uuid: EXAMPLE_UUIDS.transfer,
  dispute_type: 'SCAM',
  details: 'O vendedor da loja falsa não respondeu depois do pagamento.',
}

const { charge_uuid: _, ...withoutCharge } = DISPUTE_EXAMPLE
export const REQUESTED_DISPUTE_EXAMPLE: z.input<typeof disputeSchema> = {
  ...withoutCharge,
  med_type: 'REQUESTED_MED',
  details: REQUEST_DISPUTE_EXAMPLE.details,
  blocked_value: 0,
  recovered_value: 0,
  transfer_uuid: EXAMPLE_UUIDS.transfer,
}
export const CANCELLED_DISPUTE_EXAMPLE: z.input<typeof disputeSchema> = {
  ...REQUESTED_DISPUTE_EXAMPLE,
  status: 'CANCELLED',
  resolved: true,
  recovery: {
    stage: 'CANCELLED',
    events: [
      { stage: 'CREATED', at: disputed },
      { stage: 'CANCELLED', at: answered },
    ],
  },
  updated_at: answered,
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
