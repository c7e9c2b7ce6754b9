import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { NoticeItem } from '../../domain/provider.ts'
import { isSame, jsonIn } from '../notice.ts'
import type { NoticeRequest, Provider } from '../port.ts'
import { ofNotice, type UnexplainedPart } from '../unexplained.ts'
import type { WooviClient, WooviCredentials } from './client.ts'
import { isSignedBy, publishedKeys } from './notice-keys.ts'

/**
 * Notifications of Woovi's webhooks. Woovi signs each body with a key of its own (RSA-SHA256, `x-webhook-signature`), whose
 * public half it publishes, and with the webhook's secret key (HMAC-SHA1, `x-openpix-signature`, deprecated). The secret of
 * a webhook is shown in Woovi's panel only, after it was made, so the published key is what a new connection is known by.
 */
export function notices(
  client: Pick<WooviClient, 'lookUpOwn' | 'record'>,
  credentials: WooviCredentials,
  now: () => number,
): Pick<Provider, 'readNotice'> {
  const keys = publishedKeys(client, now)
  return {
    async readNotice(notice) {
      if (!hasConfiguredSignature(notice, credentials)) {
        const signature = notice.headers['x-webhook-signature']
        if (!signature) return { kind: 'forged' }
        const verified = await keys.verify(notice.body, signature)
        if (verified.kind !== 'genuine') return verified
      }
      const { items, unexplained } = partsOf(notice.body)
      if (unexplained) await client.record(ofNotice(unexplained))
      return items ? { kind: 'items', items } : { kind: 'unreadable' }
    },
  }
}

/** Whether one of the secrets or the key that an operator has configured signed it. */
function hasConfiguredSignature({ body, headers }: NoticeRequest, credentials: WooviCredentials): boolean {
  const { webhook_secret: secrets = [], webhook_public_key: publicKey } = credentials
  const mac = headers['x-openpix-signature'] ?? ''
  const signature = headers['x-webhook-signature'] ?? ''
  return (
    secrets.some(secret => isSame(mac, createHmac('sha1', secret).update(body).digest('base64'))) ||
    (publicKey !== undefined && isSignedBy(publicKey, { body, signature }))
  )
}

const id = z.string().nullish()
const moved = z.object({ endToEndId: id }).nullish()
const named = z.object({ correlationID: id }).nullish()

/** Read loosely: a notice is a hint, and what it says of values or states is asked, not believed. */
const notice = z
  .object({
    event: z.string().nullish(),
    /** Of the test of a new address, as an older page of Woovi's shows it; it is about nothing. */
    evento: z.string().nullish(),
    charge: named,
    pix: z.object({ endToEndId: id, charge: named }).nullish(),
    payment: named,
    transaction: moved,
    originalTransaction: moved,
    dispute: z.object({ id, endToEndId: id, type: id }).nullish(),
  })
  .refine(({ event, evento }) => event ?? evento)
type Told = z.infer<typeof notice>

type About = Omit<NoticeItem, 'raw'>

/** What each event is about; any other is about nothing of ours. */
const events: Record<string, (told: Told) => About> = {
  'OPENPIX:TRANSACTION_RECEIVED': received,
  'OPENPIX:CHARGE_COMPLETED': received,
  'OPENPIX:CHARGE_COMPLETED_NOT_SAME_CUSTOMER_PAYER': received,
  'OPENPIX:MOVEMENT_CONFIRMED': sent,
  'OPENPIX:MOVEMENT_FAILED': sent,
  'OPENPIX:MOVEMENT_REMOVED': sent,
  PIX_TRANSACTION_REFUND_SENT_CONFIRMED: refunded,
  PIX_TRANSACTION_REFUND_SENT_REJECTED: refunded,
  PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED: returned,
  'OPENPIX:DISPUTE_CREATED': disputed,
  'OPENPIX:DISPUTE_ACCEPTED': disputed,
  'OPENPIX:DISPUTE_REJECTED': disputed,
  'OPENPIX:DISPUTE_CANCELED': disputed,
}

/** Documented events that tell nothing which is not asked anyway. */
const OF_NO_CONCERN = ['OPENPIX:CHARGE_CREATED', 'OPENPIX:CHARGE_EXPIRED']

/** "Exemplos" of payloads write the names of events with either prefix. */
const eventName = (event: string): string => event.replace(/^woovi:/, 'OPENPIX:')

/**
 * The test of a new address has an event and names nothing ("Validando o webhook de teste"). An event that no table names
 * is about nothing of ours, and recorded.
 */
function partsOf(body: string): { items?: NoticeItem[]; unexplained?: UnexplainedPart } {
  const told = notice.safeParse(jsonIn(body)).data
  if (!told) return body === '' ? {} : { unexplained: { kind: 'unreadable_answer', name: '', body } }
  const name = eventName(told.event ?? '')
  if (told.evento || OF_NO_CONCERN.includes(name)) return { items: [] }
  if (!Object.hasOwn(events, name))
    return { items: [], unexplained: { kind: 'unlisted_value', name: told.event!, body } }
  const about = events[name]!(told)
  return { items: about.reference === null && about.endToEnd === null ? [] : [{ ...about, raw: body }] }
}

function received({ charge, pix }: Told): About {
  const reference = charge?.correlationID ?? pix?.charge?.correlationID ?? null
  return { kind: 'payment', reference, endToEnd: pix?.endToEndId ?? null }
}

function sent({ payment, transaction }: Told): About {
  const reference = payment?.correlationID ?? null
  return { kind: 'transfer', reference, endToEnd: transaction?.endToEndId ?? null }
}

/** Our refund of a received PIX: its end-to-end id is that PIX's. Woovi tells no id of ours here. */
function refunded({ originalTransaction }: Told): About {
  return { kind: 'refund', reference: null, endToEnd: originalTransaction?.endToEndId ?? null }
}

/** Woovi's examples name the dispute in some notices only; its PIX they all name. */
function disputed({ dispute }: Told): About {
  return { kind: 'med', reference: dispute?.id ?? null, endToEnd: dispute?.endToEndId ?? null }
}

/** The recipient of a transfer gave money back: a matter of that transfer. */
function returned({ originalTransaction }: Told): About {
  return { kind: 'transfer', reference: null, endToEnd: originalTransaction?.endToEndId ?? null }
}
