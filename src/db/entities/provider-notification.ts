import { defineEntity } from '@mikro-orm/core'
import type { NotificationItem } from '../../domain/providers/provider.ts'
import { createdAtColumn, timestampColumn, unionColumn } from './columns.ts'

/** Outcome of a provider notification: `routed`: signalled to a workflow; `foreign`: not about a resource of ours. */
export type NotificationOutcome = 'routed' | 'foreign'

/** One fact that a provider sent, stored raw until thirty days after a workflow has accepted it. */
const schema = defineEntity({
  name: 'ProviderNotification',
  properties: p => ({
    uuid: p.uuid().primary(),
    connectionUuid: p.uuid(),
    kind: unionColumn<NotificationItem['kind']>(),
    reference: p.text().nullable(),
    endToEnd: p.text().nullable(),
    body: p.text(),
    requestId: p.text(),
    receivedAt: createdAtColumn(),
    routedAt: timestampColumn().nullable(),
    outcome: unionColumn<NotificationOutcome>().nullable(),
  }),
})

export class ProviderNotification extends schema.class {}
schema.setClass(ProviderNotification)
