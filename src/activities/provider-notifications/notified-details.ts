import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { ProviderNotification } from '../../db/entities/provider-notification.ts'
import type { IncomingPix, ProviderPayout } from '../../domain/providers/provider.ts'
import type { NotifiedDetails } from '../../providers/port.ts'
import type { ProviderConnection } from '../shared/provider-client.ts'

/** What a notification is about: the end-to-end id of a payment, or our id of a payout. */
type NotificationSubject =
  | { kind: 'payment'; endToEnd: string }
  | { kind: { $in: ('refund' | 'transfer')[] }; reference: string }

/** Adds to payments the payers that the provider reports in notifications only. */
export async function addNotifiedPayers(
  em: EntityManager,
  client: ProviderConnection,
  payments: IncomingPix[],
): Promise<IncomingPix[]> {
  const completed: IncomingPix[] = []
  for (const payment of payments) {
    const payer =
      payment.payer ??
      (await findDetails(em, client, { kind: 'payment', endToEnd: payment.endToEnd }, 'payer')) ??
      null
    completed.push({ ...payment, payer })
  }
  return completed
}

/** Adds to a rejected payout the cause that the provider reports in a notification only; `reference`: our id of it. */
export async function addNotifiedRejection(
  em: EntityManager,
  client: ProviderConnection,
  payout: ProviderPayout,
  reference: string,
): Promise<ProviderPayout> {
  if (payout.status !== 'rejected' || payout.code !== 'provider_rejected') return payout
  const subject = { kind: { $in: ['refund' as const, 'transfer' as const] }, reference }
  return { ...payout, ...(await findDetails(em, client, subject, 'rejection')) }
}

/** Finds one detail in the stored notifications about a subject, the newest first. */
async function findDetails<Name extends keyof NotifiedDetails>(
  em: EntityManager,
  { connection: { providerAccountUuid }, provider }: ProviderConnection,
  subject: NotificationSubject,
  name: Name,
): Promise<NotifiedDetails[Name]> {
  if (!provider.readNotifiedDetails) return undefined
  const connections = await em.find(Connection, { providerAccountUuid }, { fields: ['uuid'] })
  const notifications = await em.find(
    ProviderNotification,
    { ...subject, connectionUuid: { $in: connections.map(({ uuid }) => uuid) } },
    { orderBy: { receivedAt: 'desc' } },
  )
  for (const { body } of notifications) {
    const detail = provider.readNotifiedDetails(body)[name]
    if (detail) return detail
  }
  return undefined
}
