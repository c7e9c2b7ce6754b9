import type { z } from 'zod'
import { CHARGE_EXAMPLE } from '../charges/charge-example.ts'
import { DISPUTE_EXAMPLE } from '../disputes/dispute-example.ts'
import { MOVEMENT_EXAMPLE } from '../ledger/ledger-example.ts'
import { RECURRENCE_EXAMPLE } from '../recurrences/recurrence-example.ts'
import { REFUND_EXAMPLE } from '../refunds/refund-example.ts'
import { REPORT_EXAMPLE } from '../reports/report-example.ts'
import { EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import { BATCH_EXAMPLE } from '../transfers/transfer-batch-example.ts'
import { TRANSFER_EXAMPLE } from '../transfers/transfer-example.ts'
import { WEBHOOK_EXAMPLE } from '../webhooks/webhook-example.ts'
import type { EVENT_BODIES } from './event-body.ts'

/** Examples of the OpenAPI document: one event of each kind. */

const { paid, sent, refunded, disputed, created } = EXAMPLE_TIMES
const id = EXAMPLE_UUIDS.event

export const EVENT_EXAMPLES: { [Type in keyof typeof EVENT_BODIES]: z.input<(typeof EVENT_BODIES)[Type]> } = {
  PAYMENT: { id, type: 'PAYMENT', timestamp: paid, data: { ...CHARGE_EXAMPLE, sequence: 1 } },
  TRANSFER: {
    id: 'a6d20e9b-4c73-4f18-95e1-8b0c7f3a6d54',
    type: 'TRANSFER',
    timestamp: sent,
    data: { ...TRANSFER_EXAMPLE, sequence: 1 },
  },
  REFUND: {
    id: 'c17f4b82-9e05-4d6a-b3c8-2a5d9f0e7b61',
    type: 'REFUND',
    timestamp: refunded,
    data: { ...REFUND_EXAMPLE, sequence: 1 },
  },
  MED: {
    id: 'e92b5c0d-3f68-4a71-8d04-7c1e6b9a2f35',
    type: 'MED',
    timestamp: disputed,
    data: { ...DISPUTE_EXAMPLE, sequence: 1 },
  },
  PIX_TRANSACTION: {
    id: '3d8a6f1c-b054-4e97-a2c6-5f9b0e7d4a18',
    type: 'PIX_TRANSACTION',
    timestamp: paid,
    data: { ...MOVEMENT_EXAMPLE, sequence: 1 },
  },
  BATCH: {
    id: '4b9c7e1a-2f85-4d60-b3a7-6e0d8c5f1a92',
    type: 'BATCH',
    timestamp: sent,
    data: { ...BATCH_EXAMPLE, sequence: 1 },
  },
  RECURRENCE: {
    id: '6a0f3c8e-9d21-4b57-8e4a-2c7b5d1f9063',
    type: 'RECURRENCE',
    timestamp: paid,
    data: { ...RECURRENCE_EXAMPLE, sequence: 1 },
  },
  REPORT: {
    id: 'f3b7d2a5-8c19-4e60-9d42-1a6e0c5b8f37',
    type: 'REPORT',
    timestamp: sent,
    data: { ...REPORT_EXAMPLE, sequence: 1 },
  },
  TEST: {
    id: '71c9e4a0-6d2f-4b85-9f3e-0a8d5c7b1e62',
    type: 'TEST',
    timestamp: created,
    data: { ...WEBHOOK_EXAMPLE, sequence: 1 },
  },
}
