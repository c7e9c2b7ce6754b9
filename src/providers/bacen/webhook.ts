import { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { ANY_ANSWER } from '../adapter/answer-parsing.ts'
import type { createProviderCalls } from '../adapter/provider-calls.ts'
import { encodePath } from '../http/client.ts'
import type { BacenClient } from './client.ts'

/** Creates the calls about the URL of notifications of a path, under their names in the table of answers. */
export function createWebhookCalls<Call extends string>(
  client: Pick<ReturnType<typeof createProviderCalls<Call>>, 'lookUp' | 'lookUpExisting'>,
  calls: { find: Call; register: Call },
  secret: string,
  headers: Record<string, string>,
) {
  return { findUrl, registerUrl }

  /** Looks up the only URL that is notified by the webhook of a path. */
  async function findUrl(path: string): Promise<{ kind: 'found'; url: string | null } | NoAnswerResult> {
    const call = { call: calls.find, path }
    const outcome = await client.lookUp(call, webhookSchema, ({ webhookUrl: url }) => ({ url }))
    return outcome.kind === 'not_found' ? { kind: 'found', url: null } : outcome
  }

  /** Registers the URL, with our secret as its last part, at the webhook of a path. May be repeated. */
  async function registerUrl(path: string, url: string): Promise<{ kind: 'found' } | NoAnswerResult> {
    const json = { webhookUrl: `${url}/${encodeURIComponent(secret)}` }
    const call = { call: calls.register, method: 'PUT', path, headers, json } as const
    return client.lookUpExisting(call, ANY_ANSWER, () => ({}))
  }
}

/** Creates the calls about URLs of notifications: that of a PIX key (`/webhook/{chave}`), and others of the same shape. */
export function createBacenWebhooks(
  client: BacenClient,
  secret: string,
  headers: Record<string, string> = {},
) {
  const { bank, basePath } = client
  const calls = { find: 'findReplacedUrl', register: 'registerNotificationUrl' } as const
  const { findUrl, registerUrl } = createWebhookCalls(client, calls, secret, headers)
  const buildKeyPath = (key: string) => basePath + encodePath`/webhook/${key}`

  return {
    findUrl,
    registerUrl,

    /** Looks up the only URL that the provider notifies for this key. */
    async findReplacedUrl(collectionKey: string | null) {
      return collectionKey === null
        ? ({ kind: 'found', url: null } as const)
        : findUrl(buildKeyPath(collectionKey))
    },

    /** Registers the URL for a key; the provider appends `/pix`. May be repeated. */
    async registerKeyUrl(url: string, collectionKey: string | null) {
      if (collectionKey !== null) return registerUrl(buildKeyPath(collectionKey), url)
      const message = `${bank} sends notifications per PIX key, and this connection has no collection key`
      return { kind: 'no_answer', code: 'collection_key_missing', message } as const
    },
  }
}

/** Tells whether a URL is one of Trilho's, of this connection or another. */
export function isUrlOfOurs(url: string): boolean {
  return url.includes('/provider-notifications/')
}

const webhookSchema = z.object({ webhookUrl: z.string().min(1) })
