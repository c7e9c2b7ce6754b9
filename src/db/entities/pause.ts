import { defineEntity } from '@mikro-orm/core'
import { primaryKeyColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'

/** `money_out` stops transfers, refunds and returns; `everything` also charges and keys. */
export type PauseReach = 'money_out' | 'everything'

/** Nothing new begins while it stands; it is gone once resumed (operator_act remembers). */
const schema = defineEntity({
  name: 'Pause',
  properties: () => ({
    uuid: primaryKeyColumn(),
    /** Of an account; of a connection; where both are null, of the whole service. */
    accountUuid: uuidColumn().nullable(),
    connectionUuid: uuidColumn().nullable(),
    reach: unionColumn<PauseReach>(),
    reason: textColumn(),
    who: textColumn(),
    createdAt: timestampColumn().onCreate(() => new Date()),
  }),
})

export class Pause extends schema.class {}
schema.setClass(Pause)

/** `in` is what brings money or can (charges, keys); `out` what sends it (transfers, refunds, returns). */
export type MoneyDirection = 'in' | 'out'

/** Whether a pause reaches what would begin through a connection, as SQL over the names of its columns. */
export function buildPauseCondition(
  direction: MoneyDirection,
  { uuid, accountUuid }: Record<string, string>,
): string {
  const reaching = direction === 'out' ? '' : `p.reach = 'everything' and`
  return `exists (select from pause p where ${reaching}
    (p.account_uuid is null or p.account_uuid = ${accountUuid})
    and (p.connection_uuid is null or p.connection_uuid = ${uuid}))`
}
