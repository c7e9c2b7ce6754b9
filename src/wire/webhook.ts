import { z } from 'zod'
import type { Webhook } from '../db/entities/webhook.ts'
import { EVENT_TYPES } from '../domain/webhook.ts'
import { anyCase, instant, one, page, pageQuery, uuid } from './common.ts'

/** api-document.txt, Webhooks: the body of POST /webhooks, the list's pages, and a webhook as it is shown. */

export const createWebhook = z.object({
  url: z
    .string()
    .refine(isHttps, 'must be an https URL')
    .meta({
      description: 'https, resolving to public addresses only',
      examples: ['https://shop.example/pix'],
    }),
  token: z
    .string()
    .max(1_024)
    .optional()
    .meta({
      description: 'The secret that signs; generated where absent. After `whsec_`, proper base64',
      examples: ['a secret of your own'],
    }),
  events: z
    .array(anyCase(EVENT_TYPES))
    .min(1, 'must name at least one event')
    .max(100)
    .transform(names => [...new Set(names)])
    .optional()
    .meta({ description: 'All five where absent' }),
})
export type CreateWebhook = z.output<typeof createWebhook>

export const webhooksQuery = z.strictObject(pageQuery)

export const webhookShown = z
  .object({
    uuid,
    url: z.string(),
    token: z.string().meta({ description: 'Whole where it is created, masked where it is read' }),
    status: z.enum(['ACTIVE', 'DISABLED']),
    disabled_reason: z.string().optional(),
    events: z.array(z.enum(EVENT_TYPES)),
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
    status: webhook.status,
    ...(webhook.disabledReason && { disabled_reason: webhook.disabledReason }),
    events: webhook.events,
    created_at: webhook.createdAt,
  }
}

/** A webhook as its POST answered, whatever has become of it since. */
export function showCreatedWebhook(webhook: Webhook, token: string): z.output<typeof webhookShown> {
  return { ...showWebhook(webhook), token, status: 'ACTIVE', disabled_reason: undefined }
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}
