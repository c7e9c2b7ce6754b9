import { z } from 'zod'
import type { StoredLimits } from '../../db/repositories/account-limits.ts'
import { APPROVAL_COUNTS, MAX_APPROVAL_HOURS } from '../../domain/approvals/approval.ts'
import {
  type AccountLimits,
  getEffectiveLimits,
  getPendingLimits,
  isNight,
  NO_LIMITS,
  type TrustedReceiver,
} from '../../domain/limits/account-limits.ts'
import type { UsedCents } from '../../domain/limits/exceeded-limit.ts'
import { findNight, listOrderWindows } from '../../domain/limits/usage-window.ts'
import { cpfOrCnpj } from '../charges/charge.ts'
import { instantSchema, reais, reaisOutput } from '../shared/fields.ts'
import { recipientKey } from '../transfers/transfer.ts'
import { endpointUrl, signingToken } from '../webhooks/webhook.ts'

/** Limits of an account: the body of PUT /limits, and what its GETs show. */

/** Most receivers that an account trusts. */
const MAX_TRUSTED_RECEIVERS = 500
const MAX_NEW_RECEIVER_HOURS = 8_760
const MAX_GUARD_SECONDS = 86_400

const optionalLimit = (description: string) =>
  reais
    .nullable()
    .optional()
    .meta({ description: `${description}; null or absent: no limit`, examples: [5_000] })

const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, HH:MM')
  .meta({ description: '`HH:MM` in Brasília', examples: ['20:00'] })

const nightHours = z
  .strictObject({ from: timeOfDay, to: timeOfDay })
  .refine(isNight, {
    path: ['to'],
    message: 'must be after the beginning of the night and not after the next noon',
  })
  .meta({
    id: 'NightHours',
    description:
      'Hours of `per_night`, between one noon and the next; over midnight where `to` is before `from`',
  })

const trustedReceiver = z
  .union([
    z.strictObject({ document: cpfOrCnpj }).meta({ id: 'TrustedHolder' }),
    z.strictObject({ pix_key: recipientKey }).meta({ id: 'TrustedKey' }),
  ])
  .meta({ id: 'TrustedReceiver', description: 'Free of `new_receiver`' })

const newReceiverHours = z.int().min(1).max(MAX_NEW_RECEIVER_HOURS)

const approvalCount = z.literal(APPROVAL_COUNTS)
const approvalHours = z.int().min(1).max(MAX_APPROVAL_HOURS)
const DEFAULT_APPROVAL_HOURS = 72

const approvalRule = z
  .strictObject({
    above: reais.meta({ description: 'Reais: a transfer of more waits', examples: [10_000] }),
    count: approvalCount.default(1).meta({ description: 'Persons who must approve it' }),
    expires_hours: approvalHours.default(DEFAULT_APPROVAL_HOURS),
    callout_url: endpointUrl
      .nullable()
      .optional()
      .meta({
        description:
          'Your server must approve it too: it is asked by a signed POST. https, resolving to public addresses only; null or absent: it is not asked',
        format: 'uri',
        examples: ['https://loja.example.com/approvals'],
      }),
  })
  .meta({ id: 'ApprovalRule' })

export const replaceLimitsBody = z.strictObject({
  per_transfer: optionalLimit('Reais that one transfer may send'),
  per_day: optionalLimit('Reais that transfers and refunds of a day in Brasília may send'),
  per_night: optionalLimit('Reais that the transfers of a night may send, which count per day as well'),
  night: nightHours.optional().meta({ description: 'By default from 20:00 to 06:00' }),
  per_receiver_per_day: optionalLimit('Reais that one PIX key may get on a day in Brasília'),
  new_receiver: z.strictObject({ value: reais, hours: newReceiverHours }).nullable().optional().meta({
    description:
      'Reais that a PIX key may get in all until `hours` have passed since the first transfer to it settled',
  }),
  trusted_receivers: z.array(trustedReceiver).max(MAX_TRUSTED_RECEIVERS).optional(),
  allowed_receivers_only: z
    .boolean()
    .optional()
    .meta({ description: 'Only `trusted_receivers` may be paid' }),
  duplicate_guard: z
    .strictObject({ seconds: z.int().min(0).max(MAX_GUARD_SECONDS) })
    .optional()
    .meta({
      description:
        'Within these seconds the same value to the same key is sent only with `allow_duplicate`; 0: none',
    }),
  approvals: approvalRule.nullable().optional().meta({
    description:
      'Transfers of more than `above` wait until `count` persons other than who ordered them approve, at most `expires_hours`; null or absent: none wait',
  }),
  version: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'The `version` that was read: other limits are then not overwritten' }),
})
export type ReplaceLimitsBody = z.output<typeof replaceLimitsBody>

/** Converts a body to the limits that it asks for; what it leaves out binds nothing. */
export function parseRequestedLimits(body: ReplaceLimitsBody): AccountLimits {
  return {
    perTransferCents: body.per_transfer ?? null,
    perDayCents: body.per_day ?? null,
    perNightCents: body.per_night ?? null,
    night: body.night ?? NO_LIMITS.night,
    perReceiverPerDayCents: body.per_receiver_per_day ?? null,
    newReceiver: body.new_receiver
      ? { valueCents: body.new_receiver.value, hours: body.new_receiver.hours }
      : null,
    trustedReceivers: (body.trusted_receivers ?? []).map(
      (receiver): TrustedReceiver =>
        'pix_key' in receiver ? { pixKey: receiver.pix_key } : { document: receiver.document },
    ),
    allowedReceiversOnly: body.allowed_receivers_only ?? false,
    duplicateGuardSeconds: body.duplicate_guard?.seconds ?? 0,
    approvals: body.approvals
      ? {
          aboveCents: body.approvals.above,
          count: body.approvals.count,
          expiresHours: body.approvals.expires_hours,
          calloutUrl: body.approvals.callout_url ?? null,
        }
      : null,
  }
}

const shownReceiver = z.union([
  z.object({ document: z.string() }).meta({ id: 'ShownTrustedHolder' }),
  z.object({ pix_key: z.string() }).meta({ id: 'ShownTrustedKey' }),
])

const limitValues = {
  per_transfer: reaisOutput.nullable(),
  per_day: reaisOutput.nullable(),
  per_night: reaisOutput.nullable(),
  night: z.object({ from: z.string(), to: z.string() }),
  per_receiver_per_day: reaisOutput.nullable(),
  new_receiver: z.object({ value: reaisOutput, hours: newReceiverHours }).nullable(),
  trusted_receivers: z.array(shownReceiver),
  allowed_receivers_only: z.boolean(),
  duplicate_guard: z.object({ seconds: z.int() }),
  approvals: z
    .object({
      above: reaisOutput,
      count: approvalCount,
      expires_hours: approvalHours,
      callout_url: z.string().nullable().meta({ format: 'uri' }),
    })
    .meta({ id: 'ShownApprovalRule' })
    .nullable(),
}
const limitValuesSchema = z.object(limitValues).meta({ id: 'LimitValues' })

export const limitsSchema = z
  .object({
    ...limitValues,
    callout_token: signingToken.optional().meta({
      description:
        'The secret that signs call-outs. Whole where a PUT or a rotation has made it, masked elsewhere; absent where no call-out was ever set',
    }),
    pending: z.object({ limits: limitValuesSchema, effective_at: instantSchema }).nullable().meta({
      description: 'What allows more, and when it takes effect; a PUT of what is in force cancels it',
    }),
    version: z.int().min(0).meta({ description: 'Counts the changes; 0 where none was made' }),
    updated_at: instantSchema.nullable().meta({ description: 'null where none was made' }),
  })
  .meta({ id: 'AccountLimits', description: 'The limits in force, null where nothing binds' })

/**
 * Presents the limits of an account as of the moment that they were read. `calloutToken`: the secret that signs its call-outs, whole or
 * masked; undefined where it has none.
 */
export function showLimits(
  stored: StoredLimits,
  calloutToken: string | undefined,
): z.output<typeof limitsSchema> {
  const pending = getPendingLimits(stored, stored.at)
  return {
    ...showLimitValues(getEffectiveLimits(stored, stored.at)),
    ...(calloutToken !== undefined && { callout_token: calloutToken }),
    pending: pending && { limits: showLimitValues(pending.limits), effective_at: pending.effectiveAt },
    version: stored.version,
    updated_at: stored.version === 0 ? null : stored.updatedAt,
  }
}

function showLimitValues(limits: AccountLimits): z.output<typeof limitValuesSchema> {
  return {
    per_transfer: limits.perTransferCents,
    per_day: limits.perDayCents,
    per_night: limits.perNightCents,
    night: limits.night,
    per_receiver_per_day: limits.perReceiverPerDayCents,
    new_receiver: limits.newReceiver && {
      value: limits.newReceiver.valueCents,
      hours: limits.newReceiver.hours,
    },
    trusted_receivers: limits.trustedReceivers.map(receiver =>
      'pixKey' in receiver ? { pix_key: receiver.pixKey } : receiver,
    ),
    allowed_receivers_only: limits.allowedReceiversOnly,
    duplicate_guard: { seconds: limits.duplicateGuardSeconds },
    approvals: limits.approvals && {
      above: limits.approvals.aboveCents,
      count: limits.approvals.count,
      expires_hours: limits.approvals.expiresHours,
      callout_url: limits.approvals.calloutUrl ?? null,
    },
  }
}

const windowUsage = {
  limit: reaisOutput.nullable(),
  used: reaisOutput.meta({ description: 'Reais that were let through, and have not come back as failed' }),
  left: reaisOutput.nullable().meta({ description: 'null where there is no limit' }),
}

export const limitUsageSchema = z
  .object({
    per_day: z.object({ ...windowUsage, resets_at: instantSchema }),
    per_night: z.object({
      ...windowUsage,
      resets_at: instantSchema.nullable().meta({ description: 'End of the night; null in daytime' }),
    }),
  })
  .meta({ id: 'LimitUsage', description: 'Counted from the first PUT of limits on' })

/** Presents what is used of the limits that count all receivers, as of the moment that the limits were read. */
export function showLimitUsage(stored: StoredLimits, used: UsedCents): z.output<typeof limitUsageSchema> {
  const limits = getEffectiveLimits(stored, stored.at)
  const { dayEndsAt } = listOrderWindows(limits, stored.at, { receiverHash: null })
  return {
    per_day: { ...showWindowUsage(limits.perDayCents, used.day), resets_at: dayEndsAt },
    per_night: {
      ...showWindowUsage(limits.perNightCents, used.night),
      resets_at: findNight(limits.night, stored.at)?.endsAt ?? null,
    },
  }
}

function showWindowUsage(limitCents: number | null, usedCents = 0) {
  const left = limitCents === null ? null : Math.max(0, limitCents - usedCents)
  return { limit: limitCents, used: usedCents, left }
}
