import { defineEntity } from '@mikro-orm/core'
import { idColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'

/** Outcome of a provider notification: `taken`: signalled to a workflow; `foreign`: not about a resource of ours. */
export type NotificationOutcome = 'routed' | 'foreign'

/** One fact that a provider sent, stored raw until a workflow has accepted it. */
const schema = defineEntity({
  name: 'ProviderNotification',
  properties: p => ({
    uuid: idColumn(),
    connectionUuid: uuidColumn(),
    digest: p.blob(),
    kind: unionColumn<'payment' | 'refund' | 'transfer' | 'dispute'>(),
    reference: textColumn().nullable(),
    endToEnd: textColumn().nullable(),
    body: textColumn(),
    requestId: textColumn(),
    receivedAt: timestampColumn().onCreate(() => new Date()),
    routedAt: timestampColumn().nullable(),
    outcome: unionColumn<NotificationOutcome>().nullable(),
  }),
})

export class ProviderNotification extends schema.class {}
schema.setClass(ProviderNotification)
