import { z } from 'zod'
import type { SigningSecrets, Webhook, WebhookCreation } from '../../db/entities/webhook.ts'
import { SUBSCRIBABLE_EVENT_TYPES } from '../../domain/webhooks/webhook.ts'
import { caseInsensitiveEnum, instantSchema, pageQueryFields, uuidSchema } from '../shared/fields.ts'

/** Webhooks (api-document.txt): the body of POST /webhooks, the list's pages and the response. */

/** URL of a server of the merchant: an endpoint, or that of a call-out. */
export const endpointUrl = z
  .string()
  .refine(isHttps, 'must be an https URL')
  .meta({
    description: 'https, resolving to public addresses only',
    format: 'uri',
    examples: ['https://loja.example.com/pix'],
  })
const token = z
  .string()
  .max(1_024)
  .meta({
    description:
      'The secret that signs, of at least 24 bytes: `whsec_` and their base64, as libraries of Standard Webhooks expect it. Another text signs by its UTF-8 bytes',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  })
const events = z
  .array(caseInsensitiveEnum(SUBSCRIBABLE_EVENT_TYPES))
  .min(1, 'must name at least one event')
  .max(100)
  .transform(names => [...new Set(names)])

export const createWebhookBody = z.strictObject({
  url: endpointUrl,
  token: token.optional().meta({ description: 'Generated where absent' }),
  events: events.optional().meta({
    description:
      'All where absent, except `BATCH`, `RECURRENCE` and `REPORT`, which are delivered only where they are named',
  }),
})
export type CreateWebhookBody = z.output<typeof createWebhookBody>

export const updateWebhookBody = z.strictObject({
  url: endpointUrl.optional(),
  token: token.optional().meta({ description: 'Replaces the token as a rotation does' }),
  events: events.optional().meta({ description: 'Replace the events that the endpoint receives' }),
  status: caseInsensitiveEnum(['ACTIVE', 'DISABLED'])
    .optional()
    .meta({ description: 'ACTIVE enables it again, after another TLS handshake' }),
})
export type UpdateWebhookBody = z.output<typeof updateWebhookBody>

export const rotateWebhookBody = z.strictObject({
  token: token.optional().meta({ description: 'Generated where absent' }),
})

export const webhooksQuery = z.strictObject(pageQueryFields)

/** A signing secret as it is shown. */
export const signingToken = z
  .string()
  .meta({ description: 'Whole where it is created or replaced, masked where it is read' })

export const webhookSchema = z
  .object({
    uuid: uuidSchema,
    url: z.string().meta({ format: 'uri' }),
    token: signingToken,
    previous_token_expires_at: instantSchema
      .optional()
      .meta({ description: 'Until then the token before this one signs as well' }),
    status: z.enum(['ACTIVE', 'DISABLED']),
    disabled_reason: z.string().optional(),
    events: z.array(z.enum(SUBSCRIBABLE_EVENT_TYPES)),
    created_at: instantSchema,
  })
  .meta({ id: 'Webhook' })

/** Presents a webhook as GET shows it: its signing secret is masked. */
export function showWebhook(webhook: Webhook): z.output<typeof webhookSchema> {
  return {
    uuid: webhook.uuid,
    url: webhook.url,
    token: webhook.maskedSecret,
    ...showPreviousToken(webhook),
    status: webhook.status,
    ...(webhook.disabledReason && { disabled_reason: webhook.disabledReason }),
    events: webhook.events,
    created_at: webhook.createdAt,
  }
}

/** Presents a webhook as its POST responded, whatever its current state is. */
export function showCreatedWebhook(
  { uuid, createdAt }: Webhook,
  { url, events, token }: WebhookCreation,
): z.output<typeof webhookSchema> {
  return { uuid, url, token, status: 'ACTIVE', events, created_at: createdAt }
}

/** Presents a webhook with its new signing secret, after a rotation. */
export function showRotatedWebhook(webhook: Webhook, token: string): z.output<typeof webhookSchema> {
  return { ...showWebhook(webhook), token }
}

function showPreviousToken({ previousSecrets: [latest] }: SigningSecrets) {
  const until = latest && new Date(latest.until)
  return until && until > new Date() ? { previous_token_expires_at: until } : {}
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}
