import { z } from 'zod'
import { parseJsonOrUndefined } from '../adapter/notification-parsing.ts'
import type { RecordUnexplainedAnswer } from '../adapter/unexplained-answers.ts'
import { createBacenNotifications, type ParseOtherNotification } from '../bacen/notifications.ts'
import type { Provider } from '../port.ts'
import type { InterCredentials } from './client.ts'

/**
 * Creates the reader of Inter's notifications: of received PIX, as an object with `pix` by its document and as a bare list by its
 * examples, and of sent payments, as a list by its document and one by one by its examples. The secret in their URL authenticates
 * them.
 */
export function createInterNotifications(
  { notification_secret: secret }: InterCredentials,
  record?: RecordUnexplainedAnswer,
): Pick<Provider, 'readNotification'> {
  const { readNotification } = createBacenNotifications({ secret, parseOther: parseSentPayments, record })
  return {
    readNotification: notification =>
      readNotification({ ...notification, body: normalizeReceivedPix(notification.body) }),
  }
}

/** A sent payment, named by Inter's id of it. */
const sentPaymentSchema = z.object({
  codigoSolicitacao: z.string().min(1).max(200),
  endToEnd: z.string().nullish().catch(null),
})

/** Parses a list of sent payments, or one; undefined for any other body. */
const parseSentPayments: ParseOtherNotification = json => {
  if (!Array.isArray(json) && !sentPaymentSchema.safeParse(json).success) return undefined
  const payments = [json].flat().map(item => ({ item, payment: sentPaymentSchema.safeParse(item).data }))
  return {
    items: payments.flatMap(({ item, payment }) => {
      if (!payment) return []
      const { codigoSolicitacao: reference, endToEnd = null } = payment
      return [{ kind: 'transfer', reference, endToEnd, raw: JSON.stringify(item) } as const]
    }),
    unexplained: payments
      .filter(({ payment }) => !payment)
      .map(({ item }) => ({ kind: 'unreadable_item', name: '', body: JSON.stringify(item) })),
  }
}

const receivedPixSchema = z.looseObject({ endToEndId: z.string(), devolucoes: z.unknown().optional() })

/** Rewrites received PIX in the shape of the Central Bank's API: a list under `pix`, of which each has a list of devoluções. */
function normalizeReceivedPix(body: string): string {
  const json = parseJsonOrUndefined(body)
  const received = Array.isArray(json) ? json : (json as { pix?: unknown } | null | undefined)?.pix
  const items = z.array(z.unknown()).safeParse(received).data
  if (!items?.some(item => receivedPixSchema.safeParse(item).success)) return body
  return JSON.stringify({ pix: items.map(listReturns) })
}

/** Puts a single devolução, as in Inter's examples, into a list. */
function listReturns(item: unknown): unknown {
  const { data } = receivedPixSchema.safeParse(item)
  const isSingle =
    typeof data?.devolucoes === 'object' && data.devolucoes !== null && !Array.isArray(data.devolucoes)
  return isSingle ? { ...data, devolucoes: [data.devolucoes] } : item
}
