import { defineEntity } from '@mikro-orm/core'
import type { ProviderName } from '../../domain/providers/provider.ts'
import { createdAtColumn, unionColumn } from './columns.ts'

/** `money_out` stops transfers, refunds and returns; `everything` also charges and keys. */
export type PauseReach = 'money_out' | 'everything'

/** A pause that stops new operations; its row is deleted on resume, and `operator_action` keeps the record. */
const schema = defineEntity({
  name: 'Pause',
  properties: p => ({
    uuid: p.uuid().primary(),
    /** One is set for the pause of an account, of a connection or of a provider; none: the whole service. */
    accountUuid: p.uuid().nullable(),
    connectionUuid: p.uuid().nullable(),
    provider: unionColumn<ProviderName>().nullable(),
    reach: unionColumn<PauseReach>(),
    reason: p.text(),
    actor: p.text(),
    createdAt: createdAtColumn(),
  }),
})

export class Pause extends schema.class {}
schema.setClass(Pause)

/** `in`: operations that bring money (charges, keys); `out`: those that send it (transfers, refunds, returns). */
export type MoneyDirection = 'in' | 'out'

/** Builds the SQL condition that a pause stops a direction through a connection, over the given column names. */
export function buildPauseCondition(
  direction: MoneyDirection,
  { uuid, accountUuid, provider }: Record<string, string>,
): string {
  const reachCondition = direction === 'out' ? '' : `p.reach = 'everything' and`
  return `exists (select from pause p where ${reachCondition}
    (p.account_uuid is null or p.account_uuid = ${accountUuid})
    and (p.connection_uuid is null or p.connection_uuid = ${uuid})
    and (p.provider is null or p.provider = ${provider}))`
}
