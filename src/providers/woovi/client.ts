import { z } from 'zod'
import { type Call, httpClient } from '../http.ts'
import type { OpenLines } from '../lines.ts'
import { lookUp, lookUpOwn, type Reading, sendingOutcome } from '../outcomes.ts'
import type { RecordUnexplained } from '../unexplained.ts'
import { refusalOf } from './errors.ts'

const secret = z.string().min(1)

/** What one connection needs to speak to Woovi, and to know its notices. */
export const wooviCredentials = z
  .object({
    app_id: z.string().min(1),
    /** The secret keys of our webhooks, as Woovi's platform shows them: each webhook, so each event, has its own. */
    webhook_secret: z.union([secret.transform(one => [one]), z.array(secret).min(1)]).optional(),
    /** PEM of the key Woovi publishes for all webhooks, which is to take the secrets' place. */
    webhook_public_key: z.string().startsWith('-----BEGIN PUBLIC KEY-----').optional(),
  })
  .refine(known => known.webhook_secret ?? known.webhook_public_key, {
    message: 'webhook_secret or webhook_public_key must say how notices are known',
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
  recordUnexplained?: RecordUnexplained | undefined
}

/** Woovi's API under its AppID: calls and, over them, the outcome rules with Woovi's refusals. */
export function wooviClient({ baseUrl, credentials, ca, timeoutMs, lines }: WooviOptions) {
  const http = httpClient({ baseUrl, tls: { ca }, timeoutMs, lines })
  const call = (request: Call) =>
    http.call({ ...request, headers: { ...request.headers, authorization: credentials.app_id } })

  return {
    send: async <T extends object>(request: Call, read: Reading<T>['read']) =>
      sendingOutcome(await call(request), { read, refusalOf }),
    lookUp: async <T extends object>(request: Call, read: Reading<T>['read']) =>
      lookUp(await call(request), { read, refusalOf }),
    lookUpOwn: async <T extends object>(request: Call, read: Reading<T>['read']) =>
      lookUpOwn(await call(request), { read, refusalOf }),
    openAhead: () => http.openAhead(),
    close: () => http.close(),
  }
}
export type WooviClient = ReturnType<typeof wooviClient>
