import type { z } from 'zod'
import { MOVEMENT_EXAMPLE } from '../ledger/ledger-example.ts'
import { EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { disputeSchema } from './dispute.ts'

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
