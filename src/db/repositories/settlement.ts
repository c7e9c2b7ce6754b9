import type { SettlementFigure } from '../../domain/ledger/movement.ts'
import type { EntityManager } from '../client/orm.ts'
import { OPERATION_TYPE_SQL } from '../ledger/operation-types.ts'
import { joinConditions } from '../sql-conditions.ts'
import { buildScopeConditions, type LedgerScope, type NamedSpan } from './ledger-lines.ts'

/** Sum of the lines of one figure in one span at one provider account. */
export type SettlementSum = {
  connection_uuid: string
  span: string
  figure: SettlementFigure
  cents: number
  lines: number
}

/** The figure of a line `p` of movement `m`: what is no PIX by its type, all else by the operation that it belongs to. */
const FIGURE_SQL = `case p.type when 'FEE' then 'fees' when 'SPLIT' then 'splits' when 'HOLD' then 'holds'
  when 'SHORTFALL' then 'shortfalls' else case when m.dispute_uuid is not null then 'disputes'
  when m.type = 'EXTERNAL_REFUND' and m.transfer_uuid is null then 'refunds' else case ${OPERATION_TYPE_SQL}
  when 'CHARGE' then 'payments' when 'DEPOSIT' then 'payments' when 'TRANSFER' then 'transfers'
  else 'adjustments' end end end`

/**
 * Sums the lines of each span at each provider account of the scope, in one statement. A provider
 * account is named by its connection: the scope's own, or the oldest of the account.
 */
export function readSettlementSums(
  em: EntityManager,
  scope: LedgerScope,
  spans: readonly NamedSpan[],
): Promise<SettlementSum[]> {
  const { sql, values } = joinConditions(
    ["bucket = 'available'"],
    ...buildScopeConditions(scope, 'provider_account_uuid'),
  )
  return em.execute(
    `select c.uuid as connection_uuid, s.name as span, sums.figure, sums.cents::float8 as cents, sums.lines::int as lines
     from (select account_uuid, provider_account_uuid from balance where ${sql}) b
     join lateral (
       select c.uuid from connection c
       where c.account_uuid = b.account_uuid and c.provider_account_uuid = b.provider_account_uuid
       order by c.uuid = ? desc, c.created_at limit 1
     ) c on true
     cross join jsonb_to_recordset(?::jsonb) as s (name text, "from" timestamptz, before timestamptz)
     join lateral (
       select ${FIGURE_SQL} as figure, sum(p.cents) as cents, count(*) as lines
       from posting p join movement m on m.uuid = p.movement_uuid
       where p.account_uuid = b.account_uuid and p.provider_account_uuid = b.provider_account_uuid
         and p.bucket = 'available' and p.created_at >= s."from" and p.created_at < s.before
       group by 1
     ) sums on true`,
    [...values, scope.connectionUuid, JSON.stringify(spans)],
  )
}
