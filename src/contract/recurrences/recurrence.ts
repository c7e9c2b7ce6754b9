import { z } from 'zod'
import type { ReadRecurrence } from '../../db/repositories/recurrences.ts'
import type { RecurrenceDebtor } from '../../domain/providers/provider-recurrence.ts'
import {
  CHARGE_GENERATIONS,
  FREQUENCIES,
  JOURNEYS,
  RECURRENCE_STATUSES,
  RETRY_POLICIES,
  type RecurrenceTerms,
  recurrenceMachine,
} from '../../domain/recurrences/recurrence.ts'
import { findStoredCreation } from '../../domain/recurrences/stored-terms.ts'
import { chosenProvider, cpfOrCnpj, createChargeBody, externalRef } from '../charges/charge.ts'
import { debtorAddress, payerMessage, showDebtorAddress, toAddress } from '../charges/due.ts'
import { MAX_SPLITS, splitBody } from '../charges/split.ts'
import {
  caseInsensitiveEnum,
  dayQueryFields,
  externalRefQuery,
  failureFields,
  flag,
  instantSchema,
  metadataOf,
  namesQuery,
  pageQueryFields,
  partyName,
  positiveReais,
  providerQuery,
  providerReference,
  reaisOutput,
  requireDaysInOrder,
  rowTimes,
  uuidSchema,
  uuidsQuery,
} from '../shared/fields.ts'

/** Recurrences of Pix Automático (SPEC §2): the bodies of their POSTs, the list filters and the response. */

const brasiliaDay = z.iso.date('must be a day, `YYYY-MM-DD`').meta({ description: 'A day in Brasília' })
const debtor = z
  .strictObject({
    name: partyName,
    document: cpfOrCnpj,
    address: debtorAddress.optional().meta({ description: 'Needed by some providers, else kept' }),
  })
  .meta({ id: 'RecurrenceDebtor', description: 'Who is debited' })
const debtorShown = z
  .object({ name: z.string(), document: z.string(), address: debtorAddress.optional() })
  .meta({ id: 'RecurrenceDebtorShown' })

const payerAccount = z
  .strictObject({
    ispb: z
      .string()
      .regex(/^[0-9A-Za-z]{8}$/, 'must be eight digits or letters')
      .transform(text => text.toUpperCase())
      .meta({ description: 'ISPB of the bank of the payer', examples: ['18236120'] }),
    agency: z
      .string()
      .regex(/^\d{1,4}$/, 'must be one to four digits')
      .optional(),
    account: z.string().regex(/^[0-9A-Za-z]{1,20}$/, 'must be 1 to 20 digits or letters'),
  })
  .meta({ id: 'PayerAccount', description: 'The account of the payer whose bank is sent the request' })

/** Its provider is that of the recurrence, and its code has a value. */
const firstCharge = createChargeBody.omit({ provider_uuid: true }).extend({ value: positiveReais }).meta({
  id: 'FirstCharge',
  description:
    'The body of `POST /payments`, without `provider_uuid`; where it names no `debtor`, it is that of the recurrence',
})

const DEFAULT_DAYS_BEFORE = 4

export const createRecurrenceBody = z.strictObject({
  value: positiveReais.optional().meta({
    description: 'Reais of each charge, without its fee; where absent, each charge names its own',
    examples: [49.9],
  }),
  minimum_value: positiveReais.optional().meta({
    description: 'Without `value`: the least that the payer may choose as their own limit of a charge',
  }),
  frequency: caseInsensitiveEnum(FREQUENCIES),
  starts_on: brasiliaDay.meta({ description: 'Due day of the first cycle, in Brasília; within a year' }),
  ends_on: brasiliaDay
    .optional()
    .meta({ description: 'The last day on which a charge may be due; where absent, it has no end' }),
  contract: z.string().meta({ description: 'Your contract with the payer, at most 35 characters' }),
  subject: z
    .string()
    .optional()
    .meta({ description: 'What is paid for, as the bank of the payer shows it; at most 35 characters' }),
  debtor,
  retry_policy: caseInsensitiveEnum(RETRY_POLICIES).meta({
    description: 'Whether a debit that failed may be tried again, three times within seven days',
  }),
  journey: caseInsensitiveEnum(JOURNEYS).meta({
    description:
      'How the payer authorizes it: REQUEST, which their bank shows them; QR, a code that they read; QR_WITH_PAYMENT, a code that also pays `first_charge`; PAYMENT_THEN_OFFER, an offer of their bank once they have paid `first_charge`, which has a due date',
  }),
  first_charge: firstCharge.optional().meta({
    description:
      'Needed by the journeys QR_WITH_PAYMENT and PAYMENT_THEN_OFFER: a charge that the code also pays',
  }),
  payer_account: payerAccount.optional().meta({ description: 'Needed by the journey REQUEST' }),
  request_expires_at: z.iso.datetime({ offset: true }).optional().meta({
    description: 'Of the journey REQUEST: until when the payer may decide; by default seven days',
  }),
  generate: caseInsensitiveEnum(CHARGE_GENERATIONS).optional().meta({
    description:
      'AUTOMATIC creates the charge of each cycle; MANUAL leaves it to you. AUTOMATIC where `value` is sent, else MANUAL',
  }),
  days_before: z.int().min(3).max(9).default(DEFAULT_DAYS_BEFORE).meta({
    description: 'Days before the due day on which a charge is created, at 09:00 in Brasília',
  }),
  splits: z.array(splitBody).max(MAX_SPLITS).default([]).meta({
    description: 'Shares of other accounts in each charge that is created for it',
  }),
  external_ref: externalRef.optional(),
  provider_uuid: chosenProvider.optional(),
  metadata: metadataOf(20).optional().meta({ description: 'Texts of yours, at most 20' }),
})
export type CreateRecurrenceBody = z.output<typeof createRecurrenceBody>

export const chargeRecurrenceBody = z.strictObject({
  value: positiveReais.optional().meta({ description: 'Reais; where absent, the value of the recurrence' }),
  due_on: brasiliaDay.meta({
    description: 'Due day in Brasília, 2 to 10 days from today; its cycle has no other charge',
  }),
  message: payerMessage.optional(),
  external_ref: externalRef.optional(),
  splits: z.array(splitBody).max(MAX_SPLITS).default([]).meta({
    description: 'Shares of other accounts in what the charge brings in',
  }),
})
export type ChargeRecurrenceBody = z.output<typeof chargeRecurrenceBody>

export const retryChargeBody = z.strictObject({
  on: brasiliaDay.meta({
    description: 'Day of the retry in Brasília: after today, and within seven days after the due day',
  }),
})
export type RetryChargeBody = z.output<typeof retryChargeBody>

export const recurrencesQuery = z
  .strictObject({
    ...pageQueryFields,
    uuid: uuidsQuery,
    status: namesQuery(RECURRENCE_STATUSES, 'In one of these statuses'),
    external_ref: externalRefQuery,
    provider_uuid: providerQuery,
    is_past_due: flag.optional().meta({ description: 'Whether the last due charge is not paid' }),
    ...dayQueryFields,
  })
  .superRefine(requireDaysInOrder)
export type RecurrencesQuery = z.output<typeof recurrencesQuery>

export const recurrenceSchema = z
  .object({
    uuid: uuidSchema,
    status: z.enum(RECURRENCE_STATUSES),
    value: reaisOutput.optional().meta({ description: 'Reais of each charge; absent where it varies' }),
    total_value: reaisOutput
      .optional()
      .meta({ description: 'Reais that the payer is debited each time: `value` and `fees`' }),
    fees: reaisOutput.meta({ description: 'Reais that the payer pays on top of a fixed `value`' }),
    minimum_value: reaisOutput.optional(),
    frequency: z.enum(FREQUENCIES),
    starts_on: z.iso.date(),
    ends_on: z.iso.date().optional(),
    contract: z.string(),
    subject: z.string().optional(),
    debtor: debtorShown,
    retry_policy: z.enum(RETRY_POLICIES),
    journey: z.enum(JOURNEYS),
    request_expires_at: instantSchema.optional(),
    generate: z.enum(CHARGE_GENERATIONS),
    days_before: z.int(),
    splits: z.array(
      z
        .object({
          type: z.enum(['PERCENTAGE', 'FIXED']),
          value: reaisOutput.meta({ description: 'Percent where PERCENTAGE, reais where FIXED' }),
          recipient_account_uuid: uuidSchema,
        })
        .meta({ id: 'RecurrenceSplit' }),
    ),
    external_ref: z.string().optional(),
    metadata: z.record(z.string(), z.string()),
    rail_id: z.string().nullable().meta({ description: 'Id of the recurrence on the rail (idRec)' }),
    payload: z.string().nullable().meta({
      description:
        'The code by which the payer authorizes it, and pays its first charge; null of the journey REQUEST',
    }),
    first_charge: z
      .object({ uuid: uuidSchema })
      .meta({ id: 'FirstChargeReference' })
      .optional()
      .meta({ description: 'The charge that the code also pays, as `GET /payments/{uuid}` shows it' }),
    next_charge_on: z.iso
      .date()
      .nullable()
      .meta({ description: 'Due day of the next charge that is created for it; null where none is' }),
    is_past_due: z.boolean().meta({ description: 'Its last due charge is not paid' }),
    reason: z
      .object({ code: z.string(), by: z.enum(['payer', 'receiver']).nullable() })
      .meta({
        id: 'RecurrenceReason',
        description:
          'Why it was rejected or cancelled: a code of the rail, or `first_charge_not_paid` or `request_expired`, for which it was cancelled by itself',
      })
      .optional(),
    skipped: z.array(
      z
        .object({ cycle: z.int(), due_on: z.iso.date(), created_at: z.iso.datetime() })
        .meta({ id: 'SkippedCycle', description: 'A cycle whose charge could not be created in time' }),
    ),
    history: z.array(
      z
        .object({ status: z.enum(RECURRENCE_STATUSES), created_at: z.iso.datetime() })
        .meta({ id: 'RecurrenceStatusChange' }),
    ),
    provider: providerReference,
    error: z
      .object({ ...failureFields, provider: z.string().optional() })
      .meta({ id: 'RecurrenceError' })
      .optional()
      .meta({ description: 'Only on a FAILED recurrence: why no provider created it' }),
    ...rowTimes,
  })
  .meta({ id: 'Recurrence' })

type ShownRecurrence = z.output<typeof recurrenceSchema>

/** Presents a recurrence as it is now; its connection is loaded. */
export function showRecurrence(row: ReadRecurrence, { isPastDue }: { isPastDue: boolean }): ShownRecurrence {
  const { connection, failure } = row
  return {
    uuid: row.uuid,
    status: recurrenceMachine.statusOf(row.state),
    ...(row.valueCents != null && { value: row.valueCents, total_value: row.valueCents + row.feeCents }),
    fees: row.feeCents,
    ...(row.minimumCents != null && { minimum_value: row.minimumCents }),
    frequency: row.frequency,
    starts_on: row.startsOn,
    ...(row.endsOn != null && { ends_on: row.endsOn }),
    contract: row.contract,
    ...(row.subject != null && { subject: row.subject }),
    debtor: {
      name: row.debtorName,
      document: row.debtorDocument,
      ...(row.debtorAddress && { address: showDebtorAddress(row.debtorAddress) }),
    },
    retry_policy: row.retryPolicy,
    journey: row.journey,
    ...(row.requestExpiresAt && { request_expires_at: row.requestExpiresAt }),
    generate: row.generate,
    days_before: row.daysBefore,
    splits: row.splits.map(({ type, amount, recipientAccountUuid }) => ({
      type,
      value: amount,
      recipient_account_uuid: recipientAccountUuid,
    })),
    ...(row.externalRef != null && { external_ref: row.externalRef }),
    metadata: row.metadata,
    rail_id: row.railId ?? null,
    payload: row.payload ?? null,
    ...(row.firstChargeUuid != null && { first_charge: { uuid: row.firstChargeUuid } }),
    next_charge_on: findStoredCreation(row, new Date()).next?.cycle.dueDay ?? null,
    is_past_due: isPastDue,
    ...(row.reasonCode != null && { reason: { code: row.reasonCode, by: row.cancelledBy ?? null } }),
    skipped: row.skippedCycles.map(({ cycle, dueOn, at }) => ({ cycle, due_on: dueOn, created_at: at })),
    history: row.history,
    provider: { uuid: connection.uuid, provider: connection.provider },
    ...(failure && { error: failure }),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  }
}

/** Presents a recurrence as its POST answered when it was created, whatever became of it. */
export function showCreatedRecurrence(row: ReadRecurrence): ShownRecurrence {
  const [first] = row.history
  const { reason: _, ...shown } = showRecurrence(row, { isPastDue: false })
  return {
    ...shown,
    status: first?.status ?? 'PENDING',
    next_charge_on: null,
    skipped: [],
    history: first ? [first] : [],
    updated_at: first ? new Date(first.created_at) : row.createdAt,
  }
}

/** Reads the debtor of a recurrence in a request. */
export function toRecurrenceDebtor({ name, document, address }: z.output<typeof debtor>): RecurrenceDebtor {
  return { name, document, ...(address && { address: toAddress(address) }) }
}

/** Reads the terms of a recurrence in a request. */
export function toTerms(body: CreateRecurrenceBody): RecurrenceTerms {
  return {
    valueCents: body.value ?? null,
    minimumCents: body.minimum_value ?? null,
    frequency: body.frequency,
    startsOn: body.starts_on,
    endsOn: body.ends_on ?? null,
    contract: body.contract,
    subject: body.subject ?? null,
    retryPolicy: body.retry_policy,
    journey: body.journey,
    generate: body.generate ?? (body.value === undefined ? 'MANUAL' : 'AUTOMATIC'),
    daysBefore: body.days_before,
  }
}
