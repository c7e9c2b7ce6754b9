import { z } from 'zod'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import type { ApprovalState } from '../../db/repositories/approvals.ts'
import type { AttemptWithProvider } from '../../db/repositories/attempts.ts'
import type { ReadTransfer } from '../../db/repositories/transfers.ts'
import type { Approval } from '../../domain/approvals/approval.ts'
import { type ApprovalCallout, CALLOUT_APPROVER, CALLOUT_CODES } from '../../domain/approvals/callout.ts'
import { showEndToEndId } from '../../domain/pix/identifiers.ts'
import {
  detectPixKeyType,
  MAX_KEY_LENGTH,
  normalizePixKey,
  PIX_KEY_INPUT_PATTERN,
} from '../../domain/pix-keys/key-format.ts'
import { MISMATCH_POLICIES } from '../../domain/pix-keys/key-look-up.ts'
import type { AttemptState } from '../../domain/providers/attempt.ts'
import { PAYMENT_STATUSES } from '../../domain/shared/payment-status.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import {
  chosenProvider,
  cpfOrCnpj,
  externalRef,
  finalBeneficiary,
  finalBeneficiarySchema,
} from '../charges/charge.ts'
import { isErrorOfAttempt } from '../events/event.ts'
import { initiationFields, maskParty, movementRecordFields } from '../ledger/movement.ts'
import { limitFailureFields, showExceededLimit } from '../limits/limit-failure.ts'
import {
  caseInsensitiveEnum,
  dayQuery,
  dayQueryFields,
  endToEndQuery,
  externalRefQuery,
  failureFields,
  instantSchema,
  keyQuery,
  namesQuery,
  pageQueryFields,
  paymentTypeQuery,
  positiveReais,
  providerQuery,
  providerReference,
  reaisOutput,
  requireDaysInOrder,
  rowTimes,
  statusChangeSchema,
  UNKNOWN_PARTY,
  uuidQuery,
  uuidSchema,
  uuidsQuery,
} from '../shared/fields.ts'

/** Transfers (api-document.txt): the body of POST /transfers, the list filters and the response. */

const PIX_KEY_MESSAGE =
  'must be a CPF, a CNPJ, an e-mail, a Brazilian mobile number with +55, or a random key'

/** PIX key of a recipient in a request, normalised. */
export const recipientKey = z
  .string()
  .max(255, { abort: true })
  .regex(PIX_KEY_INPUT_PATTERN, PIX_KEY_MESSAGE)
  .transform(normalizePixKey)
  .refine(key => key.length <= MAX_KEY_LENGTH, `must be at most ${MAX_KEY_LENGTH} characters`)
  .refine(key => detectPixKeyType(key) !== null, PIX_KEY_MESSAGE)
  .meta({
    description: `Key of the recipient, at most ${MAX_KEY_LENGTH} characters: CPF, CNPJ, e-mail, mobile with \`+55\`, or random key`,
    examples: ['maria@example.com'],
  })

const scheduledFor = z.iso
  .datetime({ offset: true })
  .transform(text => new Date(text))
  .meta({ description: 'ISO 8601 with offset, in the future, at most 90 days ahead' })

/** First fields of every order of a transfer. */
export const transferValueFields = {
  value: positiveReais.meta({ examples: [25.9] }),
  /** Accepted for symmetry with charges, where it is required; PIX is the only type. */
  type: caseInsensitiveEnum(['PIX']).optional().meta({ description: 'PIX is the only type' }),
}

/** Fields of every order of a transfer, wherever it goes. */
export const transferOrderFields = {
  ...transferValueFields,
  external_ref: externalRef.optional(),
  provider_uuid: chosenProvider.optional(),
  final_beneficiary: finalBeneficiary.optional(),
  scheduled_for: scheduledFor.optional(),
  allow_duplicate: z.boolean().optional().meta({
    description:
      'Send it though the same value was sent to the same receiver within the seconds of `duplicate_guard`',
  }),
}

export type TransferOrderBody = z.output<z.ZodObject<typeof transferOrderFields>>

export const createTransferBody = z.strictObject({
  ...transferValueFields,
  pix_key: recipientKey,
  document: cpfOrCnpj.optional().meta({
    description: 'CPF or CNPJ of the recipient: the provider must confirm that the key belongs to it',
  }),
  lookup_uuid: uuidSchema.optional().meta({
    description:
      'Look-up of `pix_key` within the last 15 minutes: the transfer goes to the receiver that it has shown',
  }),
  on_mismatch: caseInsensitiveEnum(MISMATCH_POLICIES).optional().meta({
    description:
      'Only with `lookup_uuid`: what happens where the look-up does not match its document or name, or the key has another owner before it is sent; REFUSE where absent',
  }),
  ...transferOrderFields,
})
export type CreateTransferBody = z.output<typeof createTransferBody>

export const transfersQuery = z
  .strictObject({
    ...pageQueryFields,
    uuid: uuidsQuery,
    status: namesQuery(PAYMENT_STATUSES, 'In one of these statuses; `UNDEFINED` selects none'),
    type: paymentTypeQuery,
    transfer_date_from: dayQuery('Settled on this day or later'),
    transfer_date_to: dayQuery('Settled on this day or earlier'),
    ...dayQueryFields,
    external_ref: externalRefQuery,
    end_to_end: endToEndQuery('Sent by the PIX with this end-to-end id'),
    pix_key: keyQuery
      .transform(normalizePixKey)
      .refine(key => detectPixKeyType(key) !== null, PIX_KEY_MESSAGE)
      .optional()
      .meta({ description: 'Sent to this key; a blank is read as `+`, which no key contains unencoded' }),
    provider_uuid: providerQuery,
    batch_uuid: uuidQuery('Items of this batch'),
  })
  .superRefine(requireDaysInOrder)
export type TransfersQuery = z.output<typeof transfersQuery>

const ATTEMPT_OUTCOMES = [
  'preparing',
  'calling',
  'accepted',
  'settled',
  'rejected',
  'unreachable',
  'unknown',
  'duplicate',
] as const

const attemptSchema = z
  .object({
    provider: z.string(),
    outcome: z.enum(ATTEMPT_OUTCOMES),
    code: z.string(),
    ...rowTimes,
  })
  .meta({ id: 'Attempt' })

/** Why an order of a transfer failed, alone or as the item of a batch. */
export const orderFailureFields = {
  ...failureFields,
  ...limitFailureFields,
  transfer_uuid: uuidSchema.optional().meta({ description: 'Of `possible_duplicate`: the earlier transfer' }),
}

const transferError = z
  .object({
    ...orderFailureFields,
    provider: z.string().optional(),
    attempts: z.array(
      z
        .object({ provider: z.string(), outcome: z.enum(ATTEMPT_OUTCOMES), code: z.string() })
        .meta({ id: 'TransferErrorAttempt' }),
    ),
  })
  .meta({ id: 'TransferError' })

const keyInitiation = z
  .object({
    ...initiationFields,
    value: reaisOutput,
    txid: z.string().nullable().meta({ description: 'Of a PIX code that names one' }),
    type: z.enum(['KEY', 'MANUAL', 'QR_DYNAMIC', 'QR_STATIC']).meta({
      description:
        'MANUAL: to a bank account, without a key. QR_DYNAMIC, QR_STATIC: by a PIX code, whose key is `pix_key`',
    }),
    pix_key: z.string().meta({ description: 'Key of the recipient; empty for a bank account' }),
    status: z.enum(['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED']),
    expires_at: instantSchema.nullable(),
    ...rowTimes,
  })
  .meta({ id: 'KeyInitiation' })

const transferRecord = z
  .object({
    uuid: uuidSchema.meta({
      description: 'The movement that pays it; the transfer itself until its money is reserved',
    }),
    initiation: keyInitiation,
    value: reaisOutput,
    ...movementRecordFields,
    movement_type: z.literal('OUT'),
    type: z.literal('EXTERNAL_TRANSFER'),
  })
  .meta({ id: 'TransferRecord' })

/** Who has approved what waits, and until when it waits. */
export const approvalSchema = z
  .object({
    needed: z.int().meta({ description: 'Persons who must approve it' }),
    given: z.array(z.object({ by: z.string(), at: instantSchema }).meta({ id: 'GivenApproval' })),
    rejected: z
      .object({ by: z.string(), at: instantSchema, reason: z.string().nullable() })
      .meta({ id: 'GivenRejection' })
      .optional(),
    callout: z
      .object({
        approved: z.boolean().nullable().meta({ description: 'null until the call-out has ended' }),
        at: instantSchema.nullable().meta({ description: 'When it ended' }),
        requests: z.int().meta({ description: 'Requests made, at most three' }),
        code: z.enum(CALLOUT_CODES).nullable().meta({
          description: 'Why it does not approve; before it ends, why the last request has no answer',
        }),
      })
      .meta({
        id: 'ApprovalCallout',
        description: 'What your server has answered, which must approve it too',
      })
      .optional(),
    expires_at: instantSchema.meta({ description: 'Until then it waits; afterwards it is EXPIRED' }),
  })
  .meta({
    id: 'TransferApproval',
    description:
      'Approvals of persons who have not ordered it; `by` is the e-mail of a user, also of who made a token, or the name of an operator; `callout` of a call-out that rejects',
  })

export const transferSchema = z
  .object({
    uuid: uuidSchema,
    value: reaisOutput.meta({ description: 'Reais that the recipient receives' }),
    fees: reaisOutput.meta({ description: 'Reais that the sender pays on top of `value`' }),
    currency: z.literal('BRL'),
    status: z.enum(PAYMENT_STATUSES),
    type: z.literal('PIX'),
    external_ref: z.string().optional(),
    final_beneficiary: finalBeneficiarySchema.optional(),
    transfer: transferRecord,
    history: z.array(statusChangeSchema),
    provider: providerReference,
    attempts: z.array(attemptSchema),
    outcome: z
      .literal('unknown')
      .optional()
      .meta({ description: 'Only while no provider has said whether the money left; never send it again' }),
    unknown_since: instantSchema.optional().meta({ description: 'Only with `outcome`' }),
    next_check_at: instantSchema
      .optional()
      .meta({ description: 'Only with `outcome`: when the provider is asked again' }),
    scheduled_for: instantSchema.optional().meta({ description: 'Of a scheduled transfer' }),
    approval: approvalSchema
      .optional()
      .meta({ description: 'Of a transfer that waits, or has waited, for approvals' }),
    batch_uuid: uuidSchema.optional().meta({ description: 'The batch that it is an item of' }),
    error: transferError.optional().meta({ description: 'Why a transfer is FAILED' }),
    created_at: instantSchema,
  })
  .meta({ id: 'Transfer' })

/** Presents the current transfer, as GET shows it. The caller has loaded connection and movement. */
export function showTransfer(
  transfer: ReadTransfer,
  attempts: AttemptWithProvider[],
  approval: ApprovalState | null | undefined = transfer.approval,
): z.output<typeof transferSchema> {
  const unknown = attempts.find(({ attempt }) => attempt.state === 'unknown')?.attempt
  const shownAttempts = attempts.map(({ attempt, provider }) => ({
    provider,
    outcome: toAttemptOutcome(attempt.state),
    code: attempt.code ?? '',
    created_at: attempt.createdAt,
    updated_at: attempt.updatedAt,
  }))
  return {
    uuid: transfer.uuid,
    value: transfer.valueCents,
    fees: transfer.feeCents,
    currency: 'BRL',
    status: transferMachine.statusOf(transfer.state),
    type: 'PIX',
    ...(transfer.externalRef && { external_ref: transfer.externalRef }),
    ...(transfer.beneficiaryName && {
      final_beneficiary: { name: transfer.beneficiaryName, document: transfer.beneficiaryDocument ?? '' },
    }),
    transfer: showTransferRecord(transfer),
    history: transfer.history,
    provider: { uuid: transfer.connection.uuid, provider: transfer.connection.provider },
    attempts: shownAttempts,
    ...(unknown && {
      outcome: 'unknown' as const,
      ...(unknown.unknownSince && { unknown_since: unknown.unknownSince }),
      ...(unknown.nextCheckAt && { next_check_at: unknown.nextCheckAt }),
    }),
    ...(transfer.batchUuid && { batch_uuid: transfer.batchUuid }),
    ...(transfer.scheduledFor && { scheduled_for: transfer.scheduledFor }),
    ...(approval && { approval: showApproval(approval) }),
    ...(transfer.failure && { error: showTransferError(transfer.failure, shownAttempts) }),
    created_at: transfer.createdAt,
  }
}

/** Presents the approvals of what waits, or has waited. */
export function showApproval({
  needed,
  given,
  expiresAt,
  callout,
}: ApprovalState): z.output<typeof approvalSchema> {
  const rejection = given.find(({ verdict }) => verdict === 'reject')
  return {
    needed,
    given: given
      .filter(({ verdict, approver }) => verdict === 'approve' && approver !== CALLOUT_APPROVER)
      .map(({ approver, at }) => ({ by: approver, at })),
    ...(rejection && { rejected: { by: rejection.approver, at: rejection.at, reason: rejection.reason } }),
    ...(callout && { callout: showCallout(callout, given) }),
    expires_at: expiresAt,
  }
}

function showCallout({ requestCount, failure }: ApprovalCallout, given: Approval[]) {
  const ended = given.find(({ approver }) => approver === CALLOUT_APPROVER)
  const code = ended ? CALLOUT_CODES.find(one => one === ended.reason) : failure
  return {
    approved: ended ? ended.verdict === 'approve' : null,
    at: ended?.at ?? null,
    requests: requestCount,
    code: code ?? null,
  }
}

/** Presents the error of a transfer; names the rejecting provider only if its attempt is visible to the token. */
function showTransferError(
  { provider, provider_code, exceeded, duplicate_of, ...failure }: OperationFailure,
  attempts: z.output<typeof attemptSchema>[],
): z.output<typeof transferError> {
  const isVisible = provider !== undefined && isErrorOfAttempt(attempts, { ...failure, provider })
  return {
    ...failure,
    ...showExceededLimit(exceeded),
    ...(duplicate_of !== undefined && { transfer_uuid: duplicate_of }),
    ...(isVisible && { provider, ...(provider_code !== undefined && { provider_code }) }),
    attempts: attempts.map(({ provider, outcome, code }) => ({ provider, outcome, code })),
  }
}

/**
 * Builds the response that the POST and all its replays return: the transfer as it was when a provider had just
 * accepted it, or when it was scheduled or began to wait for its approvals. Stored in the transaction that does either.
 */
export function snapshotAcceptedTransfer(
  transfer: ReadTransfer,
  attempts: AttemptWithProvider[],
  approval?: ApprovalState,
): Record<string, unknown> {
  // Such a transfer was accepted, even if only a poll has proved it.
  const {
    outcome: _,
    unknown_since: __,
    next_check_at: ___,
    ...shownTransfer
  } = showTransfer(transfer, attempts, approval)
  return z.encode(transferSchema, {
    ...shownTransfer,
    attempts: shownTransfer.attempts.map(attempt =>
      attempt.outcome === 'rejected' || attempt.outcome === 'unreachable'
        ? attempt
        : { ...attempt, outcome: 'accepted' as const },
    ),
  })
}

/** Presents the POST's response: its stored snapshot, or the current transfer while no provider has accepted it. */
export function showAcceptedTransfer(
  transfer: ReadTransfer,
  attempts: AttemptWithProvider[],
): z.output<typeof transferSchema> {
  if (!transfer.accepted) return showTransfer(transfer, attempts)
  return z.decode(transferSchema, transfer.accepted as z.input<typeof transferSchema>)
}

function showTransferRecord(transfer: ReadTransfer): z.output<typeof transferRecord> {
  const { movement } = transfer
  const times = {
    created_at: movement?.createdAt ?? transfer.createdAt,
    updated_at: movement?.updatedAt ?? transfer.updatedAt,
  }
  const isFinal = transferMachine.isFinal(transfer.state)
  const settled = isFinal && movement?.status === 'SETTLED'
  return {
    // Before the balance is held there is no movement; the transfer's own id is used.
    uuid: movement?.uuid ?? transfer.uuid,
    initiation: {
      sender: transfer.sender ?? null,
      receiver: maskParty(transfer.receiver ?? UNKNOWN_PARTY),
      txid: transfer.paymentCode?.txid ?? null,
      value: transfer.valueCents,
      type: transfer.paymentCode?.initiation ?? (transfer.bankAccount ? 'MANUAL' : 'KEY'),
      pix_key: transfer.pixKey ?? '',
      status: showInitiationStatus(transfer, settled),
      expires_at: null,
      ...times,
    },
    value: transfer.valueCents,
    movement_type: 'OUT',
    type: 'EXTERNAL_TRANSFER',
    status: settled ? 'SETTLED' : isFinal ? 'FAILED' : 'PENDING',
    end_to_end: showEndToEndId(transfer.endToEnd),
    settled_at: transfer.settledAt ?? null,
    ...times,
  }
}

function showInitiationStatus(transfer: ReadTransfer, settled: boolean) {
  if (settled) return 'COMPLETED'
  if (transfer.state === 'cancelled') return 'CANCELLED'
  if (transfer.state === 'expired') return 'EXPIRED'
  return transfer.state === 'failed' ? 'FAILED' : 'PENDING'
}

function toAttemptOutcome(state: AttemptState): (typeof ATTEMPT_OUTCOMES)[number] {
  if (state === 'orphan' || state === 'closed') throw new Error('a transfer has no orphan')
  return state
}
