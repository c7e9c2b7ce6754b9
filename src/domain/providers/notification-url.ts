/** Builds the URL at which a provider notifies one connection. */
export function buildNotificationUrl(publicUrl: string, { uuid }: { uuid: string }): string {
  return `${publicUrl}/provider-notifications/${uuid}`
}
