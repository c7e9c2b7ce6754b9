import type { OutgoingNotification } from '../../notifications.ts'
import { forgeUrlSecret } from './notification-url.ts'

/** Builds the notification of an item. */
export function buildBankNotification(url: string, body: object): OutgoingNotification {
  return { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** An end-to-end id that no PIX has. */
const INVENTED_END_TO_END = `E${'0'.repeat(31)}`

/** Builds a notification without the secret, and one about an invented PIX: `invent` changes its items. */
export function buildBankForgeries(
  notification: OutgoingNotification,
  invent: (body: unknown, endToEnd: string) => unknown,
): OutgoingNotification[] {
  const invented = invent(JSON.parse(notification.body), INVENTED_END_TO_END)
  return [
    { ...notification, url: forgeUrlSecret(notification.url) },
    { ...notification, body: JSON.stringify(invented) },
  ]
}
