import { createHmac, createVerify } from 'node:crypto'
import { z } from 'zod'
import type { NoticeItem } from '../../domain/provider.ts'
import { isSame, jsonIn } from '../notice.ts'
import type { NoticeRequest, Provider } from '../port.ts'
import { ofNotice, type RecordUnexplained, type UnexplainedPart } from '../unexplained.ts'
import type { WooviCredentials } from './client.ts'

/** Woovi signs the body: with the webhook's secret key (HMAC-SHA1), and with a key of its own (RSA-SHA256). */
export function notices(
  credentials: WooviCredentials,
  record: RecordUnexplained = async () => {},
): Pick<Provider, 'readNotice'> {
  return {
    async readNotice(notice) {
      if (!isGenuine(notice, credentials)) return { kind: 'forged' }
      const { items, unexplained } = partsOf(notice.body)
      if (unexplained) await record(ofNotice(unexplained))
      return items ? { kind: 'items', items } : { kind: 'unreadable' }
    },
  }
}

function isGenuine({ body, headers }: NoticeRequest, credentials: WooviCredentials): boolean {
  const { webhook_secret: secrets = [], webhook_public_key: publicKey } = credentials
  const mac = headers['x-openpix-signature'] ?? ''
  const signature = headers['x-webhook-signature'] ?? ''
  return (
    secrets.some(secret => isSame(mac, createHmac('sha1', secret).update(body).digest('base64'))) ||
    (publicKey !== undefined && createVerify('sha256').update(body).verify(publicKey, signature, 'base64'))
  )
}

const id = z.string().nullish()
const moved = z.object({ endToEndId: id }).nullish()
const named = z.object({ correlationID: id }).nullish()

/** Read loosely: a notice is a hint, and what it says of values or states is asked, not believed. */
const notice = z
  .object({
    event: z.string().nullish(),
    /** Woovi tries a new address with this, which is about nothing. */
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

/** An event that no table names is about nothing of ours, and recorded. */
function partsOf(body: string): { items?: NoticeItem[]; unexplained?: UnexplainedPart } {
  const told = notice.safeParse(jsonIn(body)).data
  if (!told) return body === '' ? {} : { unexplained: { kind: 'unreadable_answer', name: '', body } }
  const isKnown = !told.evento && told.event && Object.hasOwn(events, told.event)
  if (isKnown) return { items: [{ ...events[told.event!]!(told), raw: body }] }
  if (told.evento || OF_NO_CONCERN.includes(told.event ?? '')) return { items: [] }
  return { items: [], unexplained: { kind: 'unlisted_value', name: told.event!, body } }
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
