/** Builds the URL of a notification: a name is appended to the path of the registered URL, whose query stays. */
export function appendToWebhookUrl(webhookUrl: string, name: string): string {
  const url = new URL(webhookUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${name}`
  return url.href
}

/** Names of notifications at the end of a URL. */
const NOTIFICATION_NAMES = ['pix', 'lancamento', 'pix-pagamento', 'rec', 'cobr']

/** Replaces the secret in a URL: the query's values, or else the last part of the path before the notification's name. */
export function forgeUrlSecret(notificationUrl: string): string {
  const url = new URL(notificationUrl)
  for (const name of url.searchParams.keys()) {
    if (name !== 'ignorar') url.searchParams.set(name, 'forged')
  }
  if (![...url.searchParams.keys()].some(name => name !== 'ignorar'))
    url.pathname = url.pathname.replace(
      new RegExp(`[^/]+(?=(?:/(?:${NOTIFICATION_NAMES.join('|')}))?$)`),
      'forged',
    )
  return url.href
}
