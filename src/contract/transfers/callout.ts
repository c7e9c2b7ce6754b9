import { z } from 'zod'
import type { ApprovalState } from '../../db/repositories/approvals.ts'
import type { TransferWithAttempts } from '../../db/repositories/transfers.ts'
import { instantSchema, uuidSchema } from '../shared/fields.ts'
import { showTransfer, transferSchema } from './transfer.ts'
import { batchSchema } from './transfer-batch.ts'

/** Call-outs of approvals: what the merchant's server is sent, and its answer. */

const calloutFields = {
  id: uuidSchema.meta({
    description: 'Uuid of the transfer or batch, and the `webhook-id`: the same in every request',
  }),
  timestamp: instantSchema.meta({ description: 'When it was ordered' }),
}

export const transferCalloutSchema = z
  .object({ ...calloutFields, type: z.literal('TRANSFER_APPROVAL'), data: transferSchema })
  .meta({ id: 'TransferCallout', description: 'Asks whether a transfer may go on' })

export const batchCalloutSchema = z
  .object({ ...calloutFields, type: z.literal('BATCH_APPROVAL'), data: batchSchema })
  .meta({ id: 'BatchCallout', description: 'Asks whether a batch may go on' })

export const calloutAnswerSchema = z
  .object({ approve: z.boolean() })
  .meta({ id: 'CalloutAnswer', description: 'Other fields are ignored' })

/** Formats the call-out of a transfer as it is signed: the transfer as its GET shows it. */
export function formatTransferCallout(transfer: TransferWithAttempts, approval: ApprovalState): string {
  const data = showTransfer(transfer, transfer.attempts, approval)
  return formatCallout(transferCalloutSchema, { type: 'TRANSFER_APPROVAL', data }, approval)
}

/** Formats the call-out of a batch as it is signed: the batch as its GET shows it. */
export function formatBatchCallout(data: z.output<typeof batchSchema>, approval: ApprovalState): string {
  return formatCallout(batchCalloutSchema, { type: 'BATCH_APPROVAL', data }, approval)
}

function formatCallout<Schema extends typeof transferCalloutSchema | typeof batchCalloutSchema>(
  schema: Schema,
  subject: Pick<z.output<Schema>, 'type' | 'data'>,
  { subjectUuid, requestedAt }: ApprovalState,
): string {
  const callout = { id: subjectUuid, timestamp: requestedAt, ...subject } as z.output<Schema>
  return JSON.stringify(z.encode(schema as z.ZodType, callout))
}

/** Parses the text of an answer: whether it approves; null where it is no answer to a call-out. */
export function parseCalloutAnswer(text: string): boolean | null {
  try {
    return calloutAnswerSchema.parse(JSON.parse(text)).approve
  } catch {
    return null
  }
}
