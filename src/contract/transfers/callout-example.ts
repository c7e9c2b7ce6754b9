import type { z } from 'zod'
import { EXAMPLE_TIMES } from '../shared/example-values.ts'
import type { batchCalloutSchema, transferCalloutSchema } from './callout.ts'
import { STARTED_BATCH_EXAMPLE } from './transfer-batch-example.ts'
import { APPROVED_TRANSFER_EXAMPLE } from './transfer-example.ts'

/** Examples of the OpenAPI document: the first request of the call-out of a transfer, and of a batch. */

const { ordered: timestamp } = EXAMPLE_TIMES

/** What waits: no person has approved it yet, and its call-out has no answer. */
const approval = {
  ...APPROVED_TRANSFER_EXAMPLE.approval!,
  given: [],
  callout: { approved: null, at: null, requests: 0, code: null },
}

export const TRANSFER_CALLOUT_EXAMPLE: z.input<typeof transferCalloutSchema> = {
  id: APPROVED_TRANSFER_EXAMPLE.uuid,
  timestamp,
  type: 'TRANSFER_APPROVAL',
  data: { ...APPROVED_TRANSFER_EXAMPLE, approval },
}

export const BATCH_CALLOUT_EXAMPLE: z.input<typeof batchCalloutSchema> = {
  id: STARTED_BATCH_EXAMPLE.uuid,
  timestamp,
  type: 'BATCH_APPROVAL',
  data: {
    ...STARTED_BATCH_EXAMPLE,
    status: 'DRAFT',
    waiting_for: 'approval',
    approval,
    history: [{ status: 'DRAFT', created_at: timestamp }],
  },
}
