import { z } from 'zod'
import { createProviderCalls } from '../adapter/provider-calls.ts'
import type { RecordUnexplainedAnswer } from '../adapter/unexplained-answers.ts'
import { createHttpClient, type HttpCall } from '../http/client.ts'
import type { OpenConnectionPool } from '../http/connection-pool.ts'
import { type WooviCall, wooviAnswers } from './answers.ts'
import { readWooviError } from './errors.ts'

const secretSchema = z.string().min(1)

/**
 * What one connection needs to speak to Woovi. Its notifications are known by the public keys that Woovi publishes; the
 * last two fields are for a connection that also knows them by what an operator has configured.
 */
export const wooviCredentialsSchema = z.object({
  app_id: z.string().min(1),
  /** The secret keys of our webhooks, as Woovi's platform shows them: each webhook, so each event, has its own. */
  webhook_secret: z.union([secretSchema.transform(one => [one]), z.array(secretSchema).min(1)]).optional(),
  /** PEM of a key that signs all webhooks, besides those that Woovi publishes. */
  webhook_public_key: z.string().startsWith('-----BEGIN PUBLIC KEY-----').optional(),
})
export type WooviCredentials = z.infer<typeof wooviCredentialsSchema>

export type WooviAdapterOptions = {
  baseUrl: string
  credentials: WooviCredentials
  /** PEM of the authority to trust instead of the system's, for a local far side. */
  ca?: string
  timeoutMs: number
  /** Whose connections it calls over; its own, where nobody shares theirs. */
  openPool?: OpenConnectionPool
  now?: () => number
  /** Records what no document of Woovi's explains; without it nothing is recorded. */
  recordUnexplained?: RecordUnexplainedAnswer | undefined
}

/** Woovi's API under its AppID, and what its answers come to by the table of answers that Woovi documents. */
export function createWooviClient({
  baseUrl,
  credentials,
  ca,
  timeoutMs,
  openPool: lines,
  recordUnexplained,
}: WooviAdapterOptions) {
  const http = createHttpClient({ baseUrl, tls: { ca }, timeoutMs, openPool: lines })
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
