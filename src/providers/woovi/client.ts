import { z } from 'zod'
import { createProviderCalls } from '../adapter/provider-calls.ts'
import type { RecordUnexplainedAnswer } from '../adapter/unexplained-answers.ts'
import { createHttpClient, type HttpCall } from '../http/client.ts'
import type { OpenConnectionPool } from '../http/connection-pool.ts'
import { type WooviCall, wooviAnswers } from './answers.ts'
import { readWooviError } from './errors.ts'

const secretSchema = z.string().min(1)

/**
 * Credentials of one connection to Woovi. Notifications are verified by the public keys that Woovi publishes; the
 * optional fields add secrets and a key that an operator has configured.
 */
export const wooviCredentialsSchema = z.object({
  app_id: z.string().min(1),
  /** Secret keys of our webhooks, as Woovi's platform shows them: each webhook, so each event, has its own. */
  webhook_secret: z
    .union([secretSchema.transform(secret => [secret]), z.array(secretSchema).min(1)])
    .optional(),
  /** PEM of a public key that verifies all webhooks, in addition to those that Woovi publishes. */
  webhook_public_key: z.string().startsWith('-----BEGIN PUBLIC KEY-----').optional(),
})
export type WooviCredentials = z.infer<typeof wooviCredentialsSchema>

export type WooviAdapterOptions = {
  baseUrl: string
  credentials: WooviCredentials
  /** PEM of the authority to trust instead of the system's, for a local simulator. */
  ca?: string
  timeoutMs: number
  /** Opens the connections, possibly shared with other adapters; absent: the adapter opens its own. */
  openPool?: OpenConnectionPool
  now?: () => number
  /** Records answers that no table explains; absent: none are recorded. */
  recordUnexplained?: RecordUnexplainedAnswer | undefined
}

/** Creates the client of Woovi's API: it authorizes each call by the AppID and explains answers by `wooviAnswers`. */
export function createWooviClient({
  baseUrl,
  credentials,
  ca,
  timeoutMs,
  openPool,
  recordUnexplained,
}: WooviAdapterOptions) {
  const http = createHttpClient({ baseUrl, tls: { ca }, timeoutMs, openPool })
  const exchange = (call: HttpCall) =>
    http.call({ ...call, headers: { ...call.headers, authorization: credentials.app_id } })
  return {
    ...createProviderCalls<WooviCall>(
      exchange,
      { answers: wooviAnswers, readError: readWooviError },
      recordUnexplained,
    ),
    preconnect: () => http.preconnect(),
    close: () => http.close(),
  }
}
export type WooviClient = ReturnType<typeof createWooviClient>
