import { z } from 'zod'
import type { RecordUnexplainedAnswer } from '../adapter/unexplained-answers.ts'
import { createBacenNotifications, type ParseOtherNotification } from '../bacen/notifications.ts'
import type { Provider } from '../port.ts'
import type { SicoobCredentials } from './client.ts'

/** Creates the reader of Sicoob's notifications: of received PIX as the Central Bank's, of sent payments its own. */
export function createSicoobNotifications(
  { notification_secret: secret }: SicoobCredentials,
  record?: RecordUnexplainedAnswer,
): Pick<Provider, 'readNotification'> {
  return createBacenNotifications({ secret, parseOther: parsePayment, record })
}

/**
 * A sent payment (API Pagamentos PIX, callback "lancamento"): inside a payload in the description of the callback, without it
 * in that document's examples. It is known by its end-to-end id, without an id of ours.
 */
const paymentSchema = z.object({ id: z.string().regex(/^[a-zA-Z0-9]{32}$/), pix: z.undefined().optional() })
const notifiedPaymentSchema = z.union([
  z.object({ payload: paymentSchema }).transform(({ payload }) => payload),
  paymentSchema,
])

const parsePayment: ParseOtherNotification = (json, body) => {
  const { data } = notifiedPaymentSchema.safeParse(json)
  return data && { items: [{ kind: 'transfer', reference: null, endToEnd: data.id, raw: body }] }
}
