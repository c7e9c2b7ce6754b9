import type { z } from 'zod'
import { EXAMPLE_END_TO_END, EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { batchItemSchema, batchSchema, createBatchBody } from './transfer-batch.ts'

/** Examples of the OpenAPI document: a batch of two transfers as it is ordered, completed and cancelled, and an item. */

const { ordered, sent } = EXAMPLE_TIMES

export const CREATE_BATCH_EXAMPLE: z.input<typeof createBatchBody> = {
  name: 'Folha de novembro',
  items: [
    { value: 25.9, pix_key: 'joao.lima@example.com', external_ref: 'payout-77' },
    {
      value: 1_820.35,
      receiver: {
        name: 'Maria Silva',
        document: '52998224725',
        bank_code: '260',
        agency: '0001',
        account: '1234567',
        account_type: 'CHECKING',
      },
      external_ref: 'payout-78',
      description: 'Salário de novembro',
    },
  ],
}

const NO_ITEMS = {
  pending: 0,
  processing: 0,
  paid: 0,
  partially_refunded: 0,
  refunded: 0,
  failed: 0,
  cancelled: 0,
  expired: 0,
}

/** As the POST answers. */
export const STARTED_BATCH_EXAMPLE: z.input<typeof batchSchema> = {
  uuid: EXAMPLE_UUIDS.transferBatch,
  status: 'PROCESSING',
  name: 'Folha de novembro',
  mode: 'EACH',
  on_short_balance: 'FAIL',
  total: 2,
  value: 1_846.25,
  counts: { ...NO_ITEMS, pending: 2 },
  history: [{ status: 'PROCESSING', created_at: ordered }],
  created_at: ordered,
  updated_at: ordered,
}

export const BATCH_EXAMPLE: z.input<typeof batchSchema> = {
  ...STARTED_BATCH_EXAMPLE,
  status: 'COMPLETED',
  counts: { ...NO_ITEMS, paid: 2 },
  history: [...STARTED_BATCH_EXAMPLE.history, { status: 'COMPLETED', created_at: sent }],
  updated_at: sent,
}

export const CANCELLED_BATCH_EXAMPLE: z.input<typeof batchSchema> = {
  ...BATCH_EXAMPLE,
  status: 'CANCELLED',
  counts: { ...NO_ITEMS, paid: 1, cancelled: 1 },
  history: [...STARTED_BATCH_EXAMPLE.history, { status: 'CANCELLED', created_at: sent }],
}

export const BATCH_ITEM_EXAMPLE: z.input<typeof batchItemSchema> = {
  line: 1,
  status: 'PAID',
  value: 25.9,
  pix_key: 'joao.lima@example.com',
  external_ref: 'payout-77',
  transfer_uuid: EXAMPLE_UUIDS.batchTransfer,
  end_to_end: EXAMPLE_END_TO_END.transfer,
  settled_at: sent,
}
