import { defineEntity } from '@mikro-orm/core'
import { primaryKeyColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'

/** What became of a notice: taken by a life, or not ours to take. */
export type NotificationOutcome = 'taken' | 'foreign'

/** One fact that a provider told us, kept as it came until its life has taken it. */
const schema = defineEntity({
  name: 'Notice',
  properties: p => ({
    uuid: primaryKeyColumn(),
    connectionUuid: uuidColumn(),
    digest: p.blob(),
    kind: unionColumn<'payment' | 'refund' | 'transfer' | 'med'>(),
    reference: textColumn().nullable(),
    endToEnd: textColumn().nullable(),
    body: textColumn(),
    requestId: textColumn(),
    receivedAt: timestampColumn().onCreate(() => new Date()),
    handedAt: timestampColumn().nullable(),
    outcome: unionColumn<NotificationOutcome>().nullable(),
  }),
})

export class ProviderNotification extends schema.class {}
schema.setClass(ProviderNotification)
