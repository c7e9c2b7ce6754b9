import { z } from 'zod'
import type { ReadCharge, ReadChargeRefund } from '../../db/repositories/charges.ts'
import { type ChargeState, chargeMachine } from '../../domain/charges/charge.ts'
import { findDueExpiry } from '../../domain/charges/due-payment.ts'
import { DOCUMENT_MATCHES, PAYER_KINDS } from '../../domain/charges/payer-restriction.ts'
import { DOCUMENT_INPUT_PATTERN, isDocument, normalizeDocument } from '../../domain/pix/document.ts'
import { refundMachine } from '../../domain/refunds/refund.ts'
import { PAYMENT_STATUSES } from '../../domain/shared/payment-status.ts'
import {
  additionalInfoSchema,
  initiationFields,
  movementRecordFields,
  showMovementRecord,
} from '../ledger/movement.ts'
import {
  caseInsensitiveEnum,
  day,
  dayQuery,
  dayQueryFields,
  endToEndQuery,
  externalRefQuery,
  failureFields,
  instantSchema,
  metadataOf,
  namesQuery,
  numberQuery,
  pageQueryFields,
  partyName,
  paymentTypeQuery,
  providerQuery,
  providerReference,
  reais,
  reaisOutput,
  reaisText,
  requireDaysInOrder,
  rowTimes,
  signedReais,
  statusChangeSchema,
  UNKNOWN_PARTY,
  uuidQuery,
  uuidSchema,
  uuidsQuery,
} from '../shared/fields.ts'

import {
  debtorAddress,
  dueInput,
  duePaymentFields,
  payerMessage,
  restoreIssuedTerms,
  showDebtorAddress,
  showDueMembers,
} from './due.ts'
import { MAX_SPLITS, showSplit, splitBody, splitSchema } from './split.ts'
import { showTries, trySchema } from './tries.ts'

/** Charges (api-document.txt): the body of POST /payments, the list filters and the response. */

const DOCUMENT_MESSAGE = 'must be a valid CPF (11 digits) or CNPJ (14 characters)'

/** CPF or CNPJ with valid check digits; upper case after parsing. */
export const cpfOrCnpj = z
  .string()
  .regex(DOCUMENT_INPUT_PATTERN, DOCUMENT_MESSAGE)
  .transform(normalizeDocument)
  .refine(isDocument, DOCUMENT_MESSAGE)
  .meta({
    description: 'CPF or CNPJ with valid check digits, without formatting',
    examples: ['11222333000181'],
  })

export const finalBeneficiary = z
  .strictObject({ name: partyName, document: cpfOrCnpj })
  .meta({ id: 'FinalBeneficiary', description: 'The seller on whose behalf the account collects or pays' })

const debtor = z
  .strictObject({
    name: partyName,
    document: cpfOrCnpj,
    email: z.email().max(254).optional(),
    address: debtorAddress.optional(),
  })
  .meta({ id: 'Debtor', description: 'Who is to pay; providers show it to the payer' })

/** Reference of the caller in a request. */
export const externalRef = z
  .string()
  .min(1)
  .max(255)
  .meta({ description: 'Your reference, such as the number of an order' })

/** Connection that a request names. */
export const chosenProvider = uuidSchema.meta({
  description:
    'The only provider to use; where absent, the default ones in their order. A bound token always uses its own',
})

/** The final beneficiary as it is shown. */
export const finalBeneficiarySchema = z
  .object({ name: z.string(), document: z.string() })
  .meta({ id: 'FinalBeneficiaryShown' })

const additionalInfoBody = z
  .strictObject({ name: z.string().trim().min(1).max(50), value: z.string().trim().min(1).max(200) })
  .meta({ id: 'AdditionalInfoInput' })

const MAX_ADDITIONAL_INFO = 50
const MAX_METADATA_ENTRIES = 30

/** Seconds until a charge expires whose request names neither another time nor a due date. */
export const DEFAULT_EXPIRY_S = 86_400

export const createChargeBody = z.strictObject({
  value: reais.meta({
    description:
      'Reais. 0 is an open amount, which the payer chooses: the code is a static one where the provider issues no other, and then it does not expire',
    examples: [150.75],
  }),
  type: caseInsensitiveEnum(['PIX']).meta({ description: 'PIX is the only type' }),
  external_ref: externalRef.optional(),
  final_beneficiary: finalBeneficiary.optional(),
  provider_uuid: chosenProvider.optional(),
  splits: z.array(splitBody).max(MAX_SPLITS).default([]).meta({
    description:
      'Shares of other accounts in what the charge brings in, at most the whole value; the pair of recipient and type is unique',
  }),
  debtor: debtor.optional(),
  verify_sender: z.boolean().optional().meta({
    description:
      'Only the `debtor` may pay. A PIX of another document never pays the charge: it is returned or reviewed, as the account has chosen, and the charge stays PENDING',
  }),
  payer_kind: z.enum(PAYER_KINDS).optional().meta({
    description: 'Only persons (CPF) or only companies (CNPJ) may pay',
  }),
  match: z.enum(DOCUMENT_MATCHES).optional().meta({
    description:
      "With `verify_sender`: FULL compares the whole document; ROOT allows every CNPJ with the first eight characters of the debtor's. FULL where absent",
  }),
  expires_in: z.int().min(60).max(2_592_000).optional().meta({
    default: DEFAULT_EXPIRY_S,
    description:
      'Seconds until the charge can be paid no more, from 60 to 30 days; by default a day. Without effect on a static code, which does not expire; not for a charge with a due date',
  }),
  due: dueInput.optional(),
  message: payerMessage.optional(),
  additional_info: z
    .array(additionalInfoBody)
    .max(MAX_ADDITIONAL_INFO)
    .optional()
    .meta({ description: 'Texts that the payer is shown besides `message`, where the provider shows any' }),
  metadata: metadataOf(MAX_METADATA_ENTRIES)
    .optional()
    .meta({ description: `Texts of yours, at most ${MAX_METADATA_ENTRIES}`, examples: [{ customer: '42' }] }),
})
export type CreateChargeBody = z.output<typeof createChargeBody>

const reaisQuery = numberQuery(reais)
const dueDayQuery = (condition: string) =>
  day.optional().meta({ description: `${condition}, in Brasília: \`YYYY-MM-DD\`` })

export const chargesQuery = z
  .strictObject({
    ...pageQueryFields,
    uuid: uuidsQuery,
    status: namesQuery(
      PAYMENT_STATUSES,
      'In one of these statuses; `UNDEFINED` is a charge that no provider has issued yet',
    ),
    type: paymentTypeQuery,
    end_to_end: endToEndQuery('Paid by the PIX with this end-to-end id'),
    payer_document: cpfOrCnpj.optional().meta({ description: 'Paid by the holder of this CPF or CNPJ' }),
    payer_name: z
      .string()
      .trim()
      .min(3)
      .max(255)
      .optional()
      .meta({ description: "The payer's name begins so, in any case; at least three characters" }),
    due_from: dueDayQuery('Due on this day or later'),
    due_to: dueDayQuery('Due on this day or earlier'),
    payment_date_from: dayQuery('Paid on this day or later'),
    payment_date_to: dayQuery('Paid on this day or earlier'),
    ...dayQueryFields,
    external_ref: externalRefQuery,
    txid: z.string().max(255).optional().meta({ description: 'With this txid on the rail' }),
    provider_uuid: providerQuery,
    qr_code_uuid: uuidQuery('Paid to this static code of the account'),
    recurrence_uuid: uuidQuery('Debits of this recurrence'),
    payment_link_uuid: uuidQuery('Created by this payment link, for its payers'),
    value_min: reaisQuery.optional().meta({ description: '`value` is at least this, in reais' }),
    value_max: reaisQuery.optional().meta({ description: '`value` is at most this, in reais' }),
  })
  .superRefine(requireDaysInOrder)
export type ChargesQuery = z.output<typeof chargesQuery>

/** Ledger record inside a charge: the incoming PIX that paid it. */
const chargeTransactionSchema = z
  .object({
    uuid: uuidSchema,
    value: reaisText,
    ...movementRecordFields,
  })
  .meta({ id: 'ChargeTransaction' })

const PIX_STATUSES = ['PENDING', 'COMPLETED', 'FAILED', 'EXPIRED', 'CANCELLED'] as const

const chargePixSchema = z
  .object({
    ...initiationFields,
    additional_info: z.array(additionalInfoSchema),
    transaction: chargeTransactionSchema.nullable(),
    status: z.enum(PIX_STATUSES),
    expires_at: instantSchema.nullable(),
    ...rowTimes,
  })
  .meta({ id: 'ChargePix' })

const paymentFields = {
  uuid: uuidSchema,
  status: z.enum(PIX_STATUSES),
  payload: z
    .string()
    .meta({ description: 'The copy-and-paste PIX code; empty of the debit of a recurrence' }),
  pix: chargePixSchema,
  expires_at: instantSchema.nullable().meta({
    description:
      'Null of a static code, which does not expire. Of a charge with a due date the end of its last payable day in Brasília, moved to the next business day',
  }),
  ...duePaymentFields,
  tries: z.array(trySchema).optional().meta({
    description: 'Only of the debit of a recurrence: its tries, as its provider has reported them',
  }),
  ...rowTimes,
}

const chargeFields = {
  uuid: uuidSchema,
  value: reaisOutput.meta({ description: 'Reais that the merchant asked; 0 where the payer chooses' }),
  total_value: reaisOutput.meta({
    description: 'Reais that the payer pays: `value` and `fees`. Of an open amount what was paid',
  }),
  fees: reaisOutput.meta({
    description: 'Reais that the payer pays on top of `value`. Of an open amount they come out of it',
  }),
  currency: z.literal('BRL'),
  status: z.enum(PAYMENT_STATUSES),
  type: z.literal('PIX'),
  external_ref: z.string().optional(),
  final_beneficiary: finalBeneficiarySchema.optional(),
  debtor: z
    .object({
      name: z.string(),
      document: z.string(),
      email: z.string().optional(),
      address: debtorAddress.optional(),
    })
    .meta({ id: 'DebtorShown' })
    .optional(),
  payer_kind: z.enum(PAYER_KINDS).optional(),
  match: z.enum(DOCUMENT_MATCHES).optional(),
  message: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  revision: z.int().min(0).optional().meta({
    description: 'Only of a charge with a due date: how often it was changed by PATCH',
  }),
  splits: z.array(splitSchema),
  history: z.array(statusChangeSchema),
  provider: providerReference,
  qr_code_uuid: uuidSchema
    .optional()
    .meta({ description: 'The static code of the account that it was paid to' }),
  recurrence: z
    .object({ uuid: uuidSchema, cycle: z.int().min(1) })
    .meta({ id: 'ChargeCycle' })
    .optional()
    .meta({ description: 'The recurrence whose payer it debits, and for which cycle' }),
  error: z
    .object({
      ...failureFields,
      provider: z.string().optional(),
      attempts: z.array(
        z
          .object({ provider: z.string(), outcome: z.string(), code: z.string() })
          .meta({ id: 'ChargeErrorAttempt' }),
      ),
    })
    .meta({ id: 'ChargeError' })
    .optional()
    .meta({ description: 'Only on a FAILED charge: why no provider issued it, or why its debit failed' }),
  ...rowTimes,
}

/** Response of POST /payments and of its replay. */
export const createdChargeSchema = z
  .object({
    ...chargeFields,
    payment: z
      .object({ ...paymentFields, value: reaisOutput, type: z.literal('PIX') })
      .meta({ id: 'CreatedPayment' }),
  })
  .meta({ id: 'CreatedCharge' })

/** A charge as GET, lists and events show it. */
export const chargeSchema = z
  .object({
    ...chargeFields,
    refunded_value: reaisOutput.meta({ description: 'Sum of the settled refunds and returns' }),
    net_value: signedReais.meta({
      description:
        'What the charge leaves to its account and its splits: what the payer paid, less `fees`, less `refunded_value`, less the fees of these refunds. 0 until it is paid; below 0 once more was refunded than was left',
    }),
    refund_uuids: z.array(uuidSchema).meta({ description: 'Its refunds in any status, oldest first' }),
    payment: z
      .object({
        ...paymentFields,
        value: reaisText,
        type: z.enum(['QR_DYNAMIC', 'QR_STATIC', 'AUTOMATIC']).meta({
          description:
            'QR_STATIC where the payload is a static code of the key; AUTOMATIC of the debit of a recurrence, which has no payload',
        }),
        verify_sender: z.boolean().meta({ description: 'Whether only the `debtor` may pay' }),
      })
      .meta({ id: 'Payment' }),
  })
  .meta({ id: 'Charge' })

/** Presents the current charge, as GET shows it. Connection, movement and splits with recipients are loaded. */
export function showCharge(charge: ReadCharge, refunds: ReadChargeRefund[]): z.output<typeof chargeSchema> {
  return {
    ...showSharedFields(charge),
    status: chargeMachine.statusOf(charge.state),
    total_value: charge.totalCents,
    fees: charge.feeCents,
    refunded_value: charge.refundedCents,
    net_value: computeNetCents(charge, refunds),
    refund_uuids: refunds.map(({ uuid }) => uuid),
    history: charge.history,
    updated_at: charge.updatedAt,
    payment: {
      ...showPayment(charge, PIX_STATUS_BY_STATE[charge.state]),
      ...showDueMembers(charge, new Date()),
      ...showTries(charge, charge.tries),
      value: charge.totalCents,
      type: codeTypeOf(charge),
      verify_sender: charge.isSenderVerified,
    },
  }
}

function computeNetCents(
  { receivedCents, feeCents, refundedCents }: ReadCharge,
  refunds: ReadChargeRefund[],
): number {
  if (receivedCents === 0) return 0
  const settled = refunds.filter(({ state }) => refundMachine.statusOf(state) === 'COMPLETED')
  return settled.reduce((cents, refund) => cents - refund.feeCents, receivedCents - feeCents - refundedCents)
}

/** Presents the charge as its POST responded when it was issued, whatever its current state is. */
export function showCreatedCharge(current: ReadCharge): z.output<typeof createdChargeSchema> {
  const charge = restoreIssuedTerms(current)
  const [first] = charge.history
  const created = first ? new Date(first.created_at) : charge.createdAt
  const failed = charge.state === 'failed'
  const statedCents = charge.valueCents === 0 ? 0 : charge.totalCents
  const payment = showPayment(charge, failed ? 'FAILED' : 'PENDING')
  return {
    ...showSharedFields(charge),
    status: failed ? 'FAILED' : 'PENDING',
    total_value: statedCents,
    fees: charge.valueCents === 0 ? 0 : charge.totalCents - charge.valueCents,
    splits: Array.from(charge.splits, split => ({ ...showSplit(split), status: 'PENDING' as const })),
    history: first ? [first] : [],
    updated_at: created,
    payment: {
      ...payment,
      ...showDueMembers(
        { ...charge, state: failed ? 'failed' : 'pending', receivedCents: 0 },
        charge.createdAt,
      ),
      ...showTries(charge, []),
      pix: { ...payment.pix, sender: null, transaction: null, value: statedCents, updated_at: created },
      updated_at: created,
      value: statedCents,
      type: 'PIX',
    },
  }
}

function showSharedFields(charge: ReadCharge) {
  return {
    uuid: charge.uuid,
    value: charge.valueCents,
    currency: 'BRL' as const,
    type: 'PIX' as const,
    ...(charge.externalRef != null && { external_ref: charge.externalRef }),
    ...(charge.beneficiaryName && {
      final_beneficiary: { name: charge.beneficiaryName, document: charge.beneficiaryDocument ?? '' },
    }),
    ...(charge.debtorName && {
      debtor: {
        name: charge.debtorName,
        document: charge.debtorDocument ?? '',
        ...(charge.debtorEmail != null && { email: charge.debtorEmail }),
        ...(charge.debtorAddress && { address: showDebtorAddress(charge.debtorAddress) }),
      },
    }),
    ...(charge.payerKind && { payer_kind: charge.payerKind }),
    ...(charge.payerMatch && { match: charge.payerMatch }),
    ...(charge.message != null && { message: charge.message }),
    ...(Object.keys(charge.metadata).length > 0 && { metadata: charge.metadata }),
    ...(charge.due && { revision: charge.revision }),
    splits: Array.from(charge.splits, showSplit),
    provider: { uuid: charge.connection.uuid, provider: charge.connection.provider },
    // The code of this charge alone has no page of its own.
    ...(charge.qrCodeUuid && charge.qrCodeUuid !== charge.uuid && { qr_code_uuid: charge.qrCodeUuid }),
    ...(charge.recurrenceUuid && {
      recurrence: { uuid: charge.recurrenceUuid, cycle: charge.cycle ?? 0 },
    }),
    ...(charge.failure && { error: charge.failure }),
    created_at: charge.createdAt,
  }
}

function codeTypeOf({ qrCodeUuid, debitOn }: ReadCharge): 'QR_DYNAMIC' | 'QR_STATIC' | 'AUTOMATIC' {
  if (debitOn != null) return 'AUTOMATIC'
  return qrCodeUuid ? 'QR_STATIC' : 'QR_DYNAMIC'
}

function showPayment(charge: ReadCharge, status: (typeof PIX_STATUSES)[number]) {
  const { expiresInSeconds, createdAt } = charge
  const plannedExpiry = charge.due
    ? findDueExpiry(charge.due)
    : expiresInSeconds == null || charge.qrCodeUuid
      ? null
      : new Date(createdAt.getTime() + expiresInSeconds * 1_000)
  const expiresAt = charge.expiresAt ?? plannedExpiry
  const times = { expires_at: expiresAt, created_at: charge.createdAt, updated_at: charge.updatedAt }
  return {
    uuid: charge.paymentUuid,
    status,
    payload: charge.payload ?? '',
    pix: {
      sender: charge.movement?.sender ?? null,
      receiver: charge.receiver ?? charge.movement?.receiver ?? UNKNOWN_PARTY,
      txid: charge.txid ?? null,
      value: charge.totalCents,
      type: codeTypeOf(charge),
      pix_key: charge.pixKey ?? charge.movement?.pixKey ?? '',
      additional_info: charge.additionalInfo,
      // A payment that has only started may still fail, and a merchant who sees a transaction may ship.
      transaction: charge.movement && charge.state !== 'paying' ? showMovementRecord(charge.movement) : null,
      status,
      ...times,
    },
    ...times,
  }
}

const PIX_STATUS_BY_STATE: Record<ChargeState, (typeof PIX_STATUSES)[number]> = {
  issuing: 'PENDING',
  pending: 'PENDING',
  debiting: 'PENDING',
  paying: 'PENDING',
  paid: 'COMPLETED',
  refunding: 'COMPLETED',
  partially_refunded: 'COMPLETED',
  refunded: 'COMPLETED',
  failed: 'FAILED',
  expired: 'EXPIRED',
  cancelled: 'CANCELLED',
}
