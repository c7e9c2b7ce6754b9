import { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { ANY_ANSWER } from '../adapter/answer-parsing.ts'
import { encodePath } from '../http/client.ts'
import type { BacenClient } from './client.ts'

/** Creates the calls about the URL of notifications of a PIX key (`/webhook/{chave}`). */
export function createBacenWebhooks(
  client: BacenClient,
  secret: string,
  headers: Record<string, string> = {},
) {
  const { bank, basePath } = client
  return {
    /** Looks up the only URL that the provider notifies for this key. */
    async findReplacedUrl(
      collectionKey: string | null,
    ): Promise<{ kind: 'found'; url: string | null } | NoAnswerResult> {
      if (collectionKey === null) return { kind: 'found', url: null }
      const path = basePath + encodePath`/webhook/${collectionKey}`
      const outcome = await client.lookUp(
        { call: 'findReplacedUrl', path },
        webhookSchema,
        ({ webhookUrl }) => ({
          url: webhookUrl,
        }),
      )
      return outcome.kind === 'not_found' ? { kind: 'found', url: null } : outcome
    },

    /** Registers the URL with our secret as its last part; the provider appends `/pix`. May be repeated. */
    async registerKeyUrl(
      url: string,
      collectionKey: string | null,
    ): Promise<{ kind: 'found' } | NoAnswerResult> {
      if (collectionKey === null) {
        const message = `${bank} sends notifications per PIX key, and this connection has no collection key`
        return { kind: 'no_answer', code: 'collection_key_missing', message }
      }
      return client.lookUpExisting(
        {
          call: 'registerNotificationUrl',
          method: 'PUT',
          path: basePath + encodePath`/webhook/${collectionKey}`,
          headers,
          json: { webhookUrl: `${url}/${encodeURIComponent(secret)}` },
        },
        ANY_ANSWER,
        () => ({}),
      )
    },
  }
}

const webhookSchema = z.object({ webhookUrl: z.string().min(1) })
