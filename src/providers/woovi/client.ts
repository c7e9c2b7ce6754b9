import { z } from 'zod'
import { providerCalls } from '../calls.ts'
import { type Call, httpClient } from '../http.ts'
import type { OpenLines } from '../lines.ts'
import type { RecordUnexplained } from '../unexplained.ts'
import { type WooviCall, wooviAnswers } from './answers.ts'
import { errorIn } from './errors.ts'

const secret = z.string().min(1)

/**
 * What one connection needs to speak to Woovi. Its notifications are known by the public keys that Woovi publishes; the
 * last two fields are for a connection that also knows them by what an operator has configured.
 */
export const wooviCredentials = z.object({
  app_id: z.string().min(1),
  /** The secret keys of our webhooks, as Woovi's platform shows them: each webhook, so each event, has its own. */
  webhook_secret: z.union([secret.transform(one => [one]), z.array(secret).min(1)]).optional(),
  /** PEM of a key that signs all webhooks, besides those that Woovi publishes. */
  webhook_public_key: z.string().startsWith('-----BEGIN PUBLIC KEY-----').optional(),
})
export type WooviCredentials = z.infer<typeof wooviCredentials>

export type WooviOptions = {
  baseUrl: string
  credentials: WooviCredentials
  /** PEM of the authority to trust instead of the system's, for a local far side. */
  ca?: string
  timeoutMs: number
  /** Whose connections it calls over; its own, where nobody shares theirs. */
  lines?: OpenLines
  now?: () => number
  /** Records what no document of Woovi's explains; without it nothing is recorded. */
  recordUnexplained?: RecordUnexplained | undefined
}

/** Woovi's API under its AppID, and what its answers come to by the table of answers that Woovi documents. */
export function wooviClient({ baseUrl, credentials, ca, timeoutMs, lines, recordUnexplained }: WooviOptions) {
  const http = httpClient({ baseUrl, tls: { ca }, timeoutMs, lines })
  const exchange = (call: Call) =>
    http.call({ ...call, headers: { ...call.headers, authorization: credentials.app_id } })
  return {
    ...providerCalls<WooviCall>(exchange, { answers: wooviAnswers, errorIn }, recordUnexplained),
    openAhead: () => http.openAhead(),
    close: () => http.close(),
  }
}
export type WooviClient = ReturnType<typeof wooviClient>
