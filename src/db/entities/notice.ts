import { defineEntity } from '@mikro-orm/core'
import { key, moment, oneOf, text, uuid } from '../columns.ts'

/** What became of a notice: taken by a life, or not ours to take. */
export type NoticeOutcome = 'taken' | 'foreign'

/** One fact that a provider told us, kept as it came until its life has taken it. */
const schema = defineEntity({
  name: 'Notice',
  properties: p => ({
    uuid: key(),
    connectionUuid: uuid(),
    digest: p.blob(),
    kind: oneOf<'payment' | 'refund' | 'transfer' | 'med'>(),
    reference: text().nullable(),
    endToEnd: text().nullable(),
    body: text(),
    requestId: text(),
    receivedAt: moment().onCreate(() => new Date()),
    handedAt: moment().nullable(),
    outcome: oneOf<NoticeOutcome>().nullable(),
  }),
})

export class Notice extends schema.class {}
schema.setClass(Notice)
