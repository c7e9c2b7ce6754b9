import { z } from 'zod'
import type { Creation, Webhook } from '../db/entities/webhook.ts'
import { SUBSCRIBED_TYPES } from '../domain/webhook.ts'
import { anyCase, instant, one, page, pageQuery, uuid } from './common.ts'

/** api-document.txt, Webhooks: the body of POST /webhooks, the list's pages, and a webhook as it is shown. */

const url = z
  .string()
  .refine(isHttps, 'must be an https URL')
  .meta({
    description: 'https, resolving to public addresses only',
    examples: ['https://shop.example/pix'],
  })
const token = z
  .string()
  .max(1_024)
  .meta({
    description: 'The secret that signs. After `whsec_`, proper base64',
    examples: ['a secret of your own'],
  })
const events = z
  .array(anyCase(SUBSCRIBED_TYPES))
  .min(1, 'must name at least one event')
  .max(100)
  .transform(names => [...new Set(names)])

export const createWebhook = z.strictObject({
  url,
  token: token.optional().meta({ description: 'Generated where absent' }),
  events: events.optional().meta({ description: 'All five where absent' }),
})
export type CreateWebhook = z.output<typeof createWebhook>

export const changeWebhook = z.strictObject({
  url: url.optional(),
  token: token.optional().meta({ description: 'Replaces the token as a rotation does' }),
  events: events.optional(),
  status: anyCase(['ACTIVE', 'DISABLED'])
    .optional()
    .meta({ description: 'ACTIVE enables it again, after another TLS handshake' }),
})
export type ChangeWebhook = z.output<typeof changeWebhook>

export const rotateWebhook = z.strictObject({
  token: token.optional().meta({ description: 'Generated where absent' }),
})

export const webhooksQuery = z.strictObject(pageQuery)

export const webhookShown = z
  .object({
    uuid,
    url: z.string(),
    token: z.string().meta({ description: 'Whole where it is created or replaced, masked where it is read' }),
    previous_token_expires_at: instant
      .optional()
      .meta({ description: 'Until then the token before this one signs as well' }),
    status: z.enum(['ACTIVE', 'DISABLED']),
    disabled_reason: z.string().optional(),
    events: z.array(z.enum(SUBSCRIBED_TYPES)),
    created_at: instant,
  })
  .meta({ id: 'Webhook' })

export const webhookAnswer = one(webhookShown)
export const webhookPage = page(webhookShown)

/** A webhook as it is read: its token is masked. */
export function showWebhook(webhook: Webhook): z.output<typeof webhookShown> {
  return {
    uuid: webhook.uuid,
    url: webhook.url,
    token: webhook.maskedToken,
    ...previousTokenOf(webhook),
    status: webhook.status,
    ...(webhook.disabledReason && { disabled_reason: webhook.disabledReason }),
    events: webhook.events,
    created_at: webhook.createdAt,
  }
}

/** A webhook as its POST answered, whatever has become of it since. */
export function showCreatedWebhook(
  { uuid, createdAt }: Webhook,
  { url, events, token }: Creation,
): z.output<typeof webhookShown> {
  return { uuid, url, token, status: 'ACTIVE', events, created_at: createdAt }
}

/** A webhook whose token was just replaced, with the new one. */
export function showRotatedWebhook(webhook: Webhook, token: string): z.output<typeof webhookShown> {
  return { ...showWebhook(webhook), token }
}

function previousTokenOf({ previousTokens: [latest] }: Webhook) {
  const until = latest && new Date(latest.until)
  return until && until > new Date() ? { previous_token_expires_at: until } : {}
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}
