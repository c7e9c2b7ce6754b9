/** Builds the URL of a notification: a name is appended to the path of the registered URL, whose query stays. */
export function appendToWebhookUrl(webhookUrl: string, name: string): string {
  const url = new URL(webhookUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${name}`
  return url.href
}
