import { z } from 'zod'
import { type ParsedNotification, parseJsonOrUndefined } from '../adapter/notification-parsing.ts'
import type { RecordUnexplainedAnswer } from '../adapter/unexplained-answers.ts'
import { mapBacenPayer } from '../bacen/mapping.ts'
import { createBacenNotifications, type ToOtherItems } from '../bacen/notifications.ts'
import { bacenNotifiedDetailsSchema } from '../bacen/schemas.ts'
import type { Provider } from '../port.ts'
import type { EfiCredentials } from './client.ts'
import { toEfiRejection } from './errors.ts'

/** Creates the reader of Efí's notifications, which have no signature: the secret in their URL authenticates them. */
export function createEfiNotifications(
  { notification_secret: secret }: EfiCredentials,
  record?: RecordUnexplainedAnswer,
): Pick<Provider, 'readNotification' | 'readNotifiedDetails'> {
  return {
    ...createBacenNotifications({ secret, parseOther: parseTest, toOtherItems: toSentItems, record }),

    readNotifiedDetails(raw) {
      const { data } = bacenNotifiedDetailsSchema.safeParse(parseJsonOrUndefined(raw))
      if (!data) return {}
      const payer = mapBacenPayer(data)
      const { erro } = data.gnExtras ?? {}
      const rejection = erro || data.motivo ? toEfiRejection(erro, data.motivo) : undefined
      return { ...(payer && { payer }), ...(rejection && { rejection }) }
    },
  }
}

const testSchema = z.object({ evento: z.string(), pix: z.undefined().optional() })
/** Event of the request that tests a URL when it is registered; Efí also tests it by an empty POST or a GET. */
const TEST_EVENT = 'teste_webhook'

function parseTest(json: unknown, body: string): ParsedNotification | undefined {
  const name = testSchema.safeParse(json).data?.evento
  if (name === undefined) return undefined
  return { items: [], unexplained: name === TEST_EVENT ? [] : [{ kind: 'unlisted_value', name, body }] }
}

/** Converts a sent PIX of a notification to a `transfer` item. */
const toSentItems: ToOtherItems = pix => {
  const reference = pix.gnExtras?.idEnvio ?? null
  if (reference === null && pix.tipo !== 'SOLICITACAO') return undefined
  return [{ kind: 'transfer', reference, endToEnd: pix.endToEndId ?? null, raw: JSON.stringify(pix) }]
}
