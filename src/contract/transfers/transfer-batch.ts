import { z } from 'zod'
import type { TransferBatch } from '../../db/entities/transfer-batch.ts'
import type { ApprovalState } from '../../db/repositories/approvals.ts'
import type { BatchCounts, ReadBatchItem } from '../../db/repositories/transfer-batches.ts'
import { showEndToEndId } from '../../domain/pix/identifiers.ts'
import { readStaticPayment } from '../../domain/qr-codes/code-payment.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../domain/shared/payment-status.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import {
  BATCH_MODES,
  BATCH_STATUSES,
  type BatchItemState,
  batchMachine,
  MAX_BATCH_ITEMS,
  SHORT_BALANCE_POLICIES,
} from '../../domain/transfers/transfer-batch.ts'
import {
  type TransferDestination,
  toDestinationColumns,
} from '../../domain/transfers/transfer-destination.ts'
import { externalRef } from '../charges/charge.ts'
import { showExceededLimit } from '../limits/limit-failure.ts'
import { payloadText } from '../qr-codes/code-reading.ts'
import {
  addFieldIssue,
  caseInsensitiveEnum,
  dayQueryFields,
  instantSchema,
  namesQuery,
  pageQueryFields,
  RUN_DESPITE_OTHER_ISSUES,
  reaisOutput,
  requireDaysInOrder,
  rowTimes,
  uuidSchema,
  uuidsQuery,
} from '../shared/fields.ts'
import {
  accountReceiver,
  orderedReceiverSchema,
  showOrderedReceiver,
  toBankAccount,
} from './account-transfer.ts'
import { approvalSchema, createTransferBody, orderFailureFields, showApproval } from './transfer.ts'

/** Batches of transfers: the body of POST /transfers/batches, the list filters and what its GETs show. */

const MAX_TEXT_CHARS = 140
const { value, pix_key, document, final_beneficiary, allow_duplicate, scheduled_for, provider_uuid } =
  createTransferBody.shape

const batchItemBody = z
  .strictObject({
    value,
    pix_key: pix_key.optional().meta({
      description: 'Key of the recipient, as in POST /transfers; this, `receiver` or `payload`',
      examples: ['maria@example.com'],
    }),
    receiver: accountReceiver.optional().meta({
      description:
        'Account of the recipient at a bank, as in POST /transfers/bank-accounts; this, `pix_key` or `payload`',
    }),
    payload: payloadText.optional().meta({
      description:
        'A static copy-and-paste PIX code, and `value` as it says; this, `pix_key` or `receiver`. One whose charge is at a bank is paid by POST /transfers/qr-codes',
    }),
    document: document.meta({
      description:
        'CPF or CNPJ of the owner of the key: the provider must confirm that the key belongs to it',
    }),
    external_ref: externalRef.meta({ description: 'Your reference, another one for each item of the batch' }),
    final_beneficiary,
    allow_duplicate,
    description: z
      .string()
      .max(MAX_TEXT_CHARS)
      .optional()
      .meta({
        description: 'For you: shown with the item, sent to nobody',
        examples: ['Salário de novembro'],
      }),
  })
  .superRefine(requireOneDestination, RUN_DESPITE_OTHER_ISSUES)
  .meta({ id: 'TransferBatchItemOrder' })
type BatchItemBody = z.output<typeof batchItemBody>

/** The fields that name where an item goes. */
const DESTINATION_FIELDS = ['receiver', 'pix_key', 'payload']

/** Refines an item: it has one destination, and an account has its own document. */
function requireOneDestination(item: object, context: z.core.$RefinementCtx): void {
  const isGiven = (field: string) => Object(item)[field] !== undefined
  const [first, ...others] = DESTINATION_FIELDS.filter(isGiven)
  if (first === undefined) {
    addFieldIssue(context, 'pix_key', 'is required')
    return
  }
  if (first === 'receiver' && isGiven('document')) others.push('document')
  for (const field of others)
    addFieldIssue(context, field, 'must be absent where {field} is given', { field: first })
}

/** Builds where the transfer of a valid item goes; throws for a code that is no static one. */
export function toItemDestination({
  pix_key: pixKey,
  receiver,
  payload,
  document: namedDocument,
}: BatchItemBody): TransferDestination {
  if (receiver) return { kind: 'account', account: toBankAccount(receiver) }
  const document = namedDocument ?? null
  if (payload === undefined) return { kind: 'key', pixKey: pixKey!, document }
  const payment = readStaticPayment(payload)
  if (payment.kind !== 'static') throw new Error(`the code of an item is ${payment.kind}`)
  return { kind: 'code', code: payment.code, pixKey: payment.pixKey, document }
}

/** Fields of a batch beside its items: of the body, or with `text/csv` of the query. */
const batchOptions = {
  name: z
    .string()
    .min(1)
    .max(MAX_TEXT_CHARS)
    .optional()
    .meta({ examples: ['Folha de novembro'] }),
  mode: caseInsensitiveEnum(BATCH_MODES).default('EACH').meta({
    description:
      'EACH: an item that fails stops no other; by default. ALL_VALID: the items must be within the limits of one transfer when they are ordered, and none is started after one has failed',
  }),
  on_short_balance: caseInsensitiveEnum(SHORT_BALANCE_POLICIES).default('FAIL').meta({
    description:
      'Of an item that the available balance does not cover: FAIL, by default, or WAIT, with those after it',
  }),
  scheduled_for: scheduled_for.meta({
    description: 'ISO 8601 with offset, in the future, at most 90 days ahead: no item is sent before',
  }),
  provider_uuid,
}

export const createBatchBody = z
  .strictObject({ ...batchOptions, items: z.array(batchItemBody).min(1).max(MAX_BATCH_ITEMS) })
  .superRefine(requireUniqueReferences, RUN_DESPITE_OTHER_ISSUES)
export type CreateBatchBody = z.output<typeof createBatchBody>

/** Query of a POST whose body is CSV, which has items alone. */
export const batchCsvQuery = z.strictObject({
  name: batchOptions.name,
  mode: batchOptions.mode.removeDefault().optional(),
  on_short_balance: batchOptions.on_short_balance.removeDefault().optional(),
  scheduled_for: z.string().optional().meta({ description: 'As in a JSON body' }),
  provider_uuid,
})

/** Refines a body: a reference that occurs twice is an error of each item after the first. */
function requireUniqueReferences(body: unknown, context: z.RefinementCtx): void {
  const { items } = Object(body)
  if (!Array.isArray(items)) return
  const firstPositions = new Map<unknown, number>()
  for (const [index, item] of items.entries()) {
    const reference = Object(item).external_ref
    if (typeof reference !== 'string') continue
    const first = firstPositions.get(reference)
    if (first === undefined) firstPositions.set(reference, index)
    else
      context.addIssue({
        code: 'custom',
        path: ['items', index, 'external_ref'],
        message: 'must be unique in the batch',
      })
  }
}

/** Statuses that an item shows: those of a transfer. */
const ITEM_STATUSES = PAYMENT_STATUSES.filter(status => status !== 'UNDEFINED')
type ItemStatus = (typeof ITEM_STATUSES)[number]

/** Status of an item whose transfer has no row. */
const UNSTARTED_STATUS: Record<BatchItemState, ItemStatus> = {
  pending: 'PENDING',
  starting: 'PROCESSING',
  started: 'PROCESSING',
  cancelled: 'CANCELLED',
}

export const batchesQuery = z
  .strictObject({
    ...pageQueryFields,
    uuid: uuidsQuery,
    status: namesQuery(BATCH_STATUSES, 'In one of these statuses'),
    ...dayQueryFields,
  })
  .superRefine(requireDaysInOrder)
export type BatchesQuery = z.output<typeof batchesQuery>

export const batchItemsQuery = z.strictObject({
  ...pageQueryFields,
  status: namesQuery(
    ITEM_STATUSES as [ItemStatus, ...ItemStatus[]],
    'In one of these statuses; an item that was not started is PENDING',
  ),
})
export type BatchItemsQuery = z.output<typeof batchItemsQuery>

/** Returns the states of items and of their transfers that show one of these statuses. */
export function findItemStates(statuses: readonly PaymentStatus[]) {
  const states = Object.keys(UNSTARTED_STATUS) as BatchItemState[]
  return {
    items: states.filter(state => statuses.includes(UNSTARTED_STATUS[state])),
    transfers: statuses.flatMap(transferMachine.statesShowing),
  }
}

const countsSchema = z
  .object({
    pending: z.int().min(0).meta({ description: 'Not started, or scheduled' }),
    processing: z.int().min(0),
    paid: z.int().min(0),
    partially_refunded: z.int().min(0),
    refunded: z.int().min(0),
    failed: z.int().min(0),
    cancelled: z.int().min(0),
    expired: z.int().min(0),
  })
  .meta({ id: 'TransferBatchCounts', description: 'Items by their status; together they are `total`' })

export const batchSchema = z
  .object({
    uuid: uuidSchema,
    status: z.enum(BATCH_STATUSES),
    name: z.string().optional(),
    mode: z.enum(BATCH_MODES),
    on_short_balance: z.enum(SHORT_BALANCE_POLICIES),
    total: z.int().min(1).meta({ description: 'Number of items' }),
    value: reaisOutput.meta({ description: 'Reais that all items together send, without fees' }),
    counts: countsSchema,
    scheduled_for: instantSchema.optional(),
    waiting_for: z
      .enum([
        'approval',
        'scheduled',
        'account_blocked',
        'paused',
        'insufficient_balance',
        'unfinished_items',
      ])
      .optional()
      .meta({ description: 'Why no further item is started now; absent where one may be' }),
    approval: approvalSchema
      .optional()
      .meta({ description: 'Of a batch that waits, or has waited, for approvals' }),
    cancel_reason: z
      .enum(['item_failed', 'rejected', 'approval_expired'])
      .optional()
      .meta({ description: 'Of a batch that was not cancelled by a request' }),
    history: z.array(z.object({ status: z.enum(BATCH_STATUSES), created_at: z.iso.datetime() })),
    ...rowTimes,
  })
  .meta({ id: 'TransferBatch' })

/** What a batch shows beside its row. */
export type BatchFacts = { counts: BatchCounts; approval: ApprovalState | undefined }

/** Tells whether a batch waits, or has waited, for approvals. */
export function needsBatchApproval({ history }: Pick<TransferBatch, 'history'>): boolean {
  return history[0]?.status === 'DRAFT'
}

/** Presents a batch, as GET shows it, with the counts of its items. */
export function showBatch(
  batch: TransferBatch,
  { counts, approval }: BatchFacts,
): z.output<typeof batchSchema> {
  return {
    uuid: batch.uuid,
    status: batchMachine.statusOf(batch.state),
    ...(batch.name !== null && batch.name !== undefined && { name: batch.name }),
    mode: batch.mode,
    on_short_balance: batch.onShortBalance,
    total: batch.itemCount,
    value: batch.valueCents,
    counts: showCounts(counts),
    ...(batch.scheduledFor && { scheduled_for: batch.scheduledFor }),
    ...(batch.waitReason && { waiting_for: batch.waitReason }),
    ...(approval && { approval: showApproval(approval) }),
    ...(batch.cancelReason && { cancel_reason: batch.cancelReason }),
    history: batch.history,
    created_at: batch.createdAt,
    updated_at: batch.updatedAt,
  }
}

/** Sums items by the status that they show; what was started and has no transfer yet is being processed. */
function showCounts({ items, transfers }: BatchCounts): z.output<typeof countsSchema> {
  const counts = Object.fromEntries(ITEM_STATUSES.map(status => [status, 0])) as Record<ItemStatus, number>
  for (const state of Object.keys(UNSTARTED_STATUS) as BatchItemState[])
    counts[UNSTARTED_STATUS[state]] += items[state] ?? 0
  for (const state of transferMachine.states) {
    const status = transferMachine.statusOf(state) as ItemStatus
    counts[status] += transfers[state] ?? 0
    counts.PROCESSING -= transfers[state] ?? 0
  }
  return {
    pending: counts.PENDING,
    processing: counts.PROCESSING,
    paid: counts.PAID,
    partially_refunded: counts.PARTIALLY_REFUNDED,
    refunded: counts.REFUNDED,
    failed: counts.FAILED,
    cancelled: counts.CANCELLED,
    expired: counts.EXPIRED,
  }
}

const batchItemError = z.object(orderFailureFields).meta({ id: 'TransferBatchItemError' })

export const batchItemSchema = z
  .object({
    line: z.int().min(1).meta({ description: 'Place in the batch, from 1' }),
    status: z.enum(ITEM_STATUSES as [ItemStatus, ...ItemStatus[]]),
    value: reaisOutput,
    pix_key: z.string().optional(),
    receiver: orderedReceiverSchema.optional(),
    payload: z.string().optional().meta({ description: 'The PIX code that it pays; `pix_key` is its key' }),
    document: z.string().optional(),
    external_ref: z.string(),
    description: z.string().optional(),
    transfer_uuid: uuidSchema
      .optional()
      .meta({ description: 'The transfer that the item has become; absent before it was started' }),
    end_to_end: z.string().optional(),
    settled_at: instantSchema.optional(),
    error: batchItemError.optional().meta({ description: 'Why the item is FAILED' }),
  })
  .meta({ id: 'TransferBatchItem' })

/** Presents an item of a batch with the state of its transfer. */
export function showBatchItem(item: ReadBatchItem): z.output<typeof batchItemSchema> {
  const { transfer } = item
  const columns = toDestinationColumns(item.details.destination)
  const { pixKey, bankAccount, paymentCode, document: holder } = columns
  const endToEnd = transfer && showEndToEndId(transfer.endToEnd)
  return {
    line: item.line,
    status: (transfer
      ? transferMachine.statusOf(transfer.state)
      : UNSTARTED_STATUS[item.state]) as ItemStatus,
    value: item.valueCents,
    ...(pixKey !== null && { pix_key: pixKey }),
    ...(bankAccount && { receiver: showOrderedReceiver(bankAccount) }),
    ...(paymentCode && { payload: paymentCode.payload }),
    ...(holder !== null && !bankAccount && { document: holder }),
    external_ref: item.externalRef,
    ...(item.description !== null && { description: item.description }),
    ...(transfer && { transfer_uuid: item.transferUuid }),
    ...(endToEnd && { end_to_end: endToEnd }),
    ...(transfer?.settledAt && { settled_at: transfer.settledAt }),
    ...(transfer?.failure && { error: showItemError(transfer.failure) }),
  }
}

function showItemError({
  code,
  message,
  provider_code,
  exceeded,
  duplicate_of,
}: NonNullable<NonNullable<ReadBatchItem['transfer']>['failure']>): z.output<typeof batchItemError> {
  return {
    code,
    message,
    ...(provider_code !== undefined && { provider_code }),
    ...showExceededLimit(exceeded),
    ...(duplicate_of !== undefined && { transfer_uuid: duplicate_of }),
  }
}
