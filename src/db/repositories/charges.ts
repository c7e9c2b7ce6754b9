import type { ChargeState } from '../../domain/charges/charge.ts'
import { showEndToEndId } from '../../domain/pix/identifiers.ts'
import type { AutomaticDebit } from '../../domain/providers/provider.ts'
import { describeDebit } from '../../domain/recurrences/debit.ts'
import type { EntityManager } from '../client/orm.ts'
import { Charge, type Split } from '../entities/charge.ts'
import type { Connection } from '../entities/connection.ts'
import { Movement } from '../entities/movement.ts'
import type { Refund } from '../entities/refund.ts'
import { getEntityMapper } from '../pipeline/entity-mapper.ts'
import { type Query, query, type ResultRow, selectRows } from '../pipeline/query.ts'
import { selectValue } from '../select-values.ts'
import {
  buildPrefixPattern,
  formatRowOrder,
  NEWEST_FIRST,
  type OptionalSqlCondition,
  type RowOrder,
  type RowPage,
  type SqlCondition,
  selectPageRows,
} from '../sql-conditions.ts'

/** Read-only charge with all that its response shows; a loaded entity conforms too. */
export type ReadCharge = Omit<Charge, 'connection' | 'movement' | 'splits'> & {
  connection: Pick<Connection, 'uuid' | 'provider'>
  movement?: Movement | null
  splits: Iterable<ReadSplit>
}
export type ReadSplit = Pick<Split, 'uuid' | 'type' | 'amount' | 'status' | 'creditedCents'> & {
  recipient: { uuid: string; name: string }
}

/** What a charge shows of one of its refunds. */
export type ReadChargeRefund = Pick<Refund, 'uuid' | 'state' | 'feeCents'>
/** `splitCents`: what the recipients of splits pay of a refund. */
type SharedRefund = ReadChargeRefund & { splitCents: number }
export type ChargeWithRefunds = ReadCharge & { refunds: SharedRefund[] }

type ChargeRow = ResultRow & {
  provider: Connection['provider']
  splits: ReadSplit[] | null
  refunds: SharedRefund[] | null
}

/** Reads one charge for its response. */
export async function readCharge(
  em: EntityManager,
  { sql, values }: SqlCondition,
): Promise<ChargeWithRefunds | null> {
  const { select, mapRow } = buildChargeSelect(em)
  const [row] = await selectRows<ChargeRow>(em, select(`select uuid from charge where ${sql}`), values)
  return row ? mapRow(row) : null
}

/** Reads a page of charges, in one snapshot. */
export async function readCharges(em: EntityManager, page: RowPage): Promise<ChargeWithRefunds[]> {
  const { select, mapRow } = buildChargeSelect(em)
  return (await selectPageRows<ChargeRow>(em, 'charge', page, { select })).map(mapRow)
}

/** Reads the state of a charge, without a lock. */
export async function readChargeState(em: EntityManager, uuid: string): Promise<ChargeState> {
  const charge = await em.findOneOrFail(Charge, uuid, { fields: ['state'], disableIdentityMap: true })
  return charge.state
}

/** Notes that a request to cancel a charge has removed nothing at its provider: its answer is known. */
export async function clearUnansweredCancellation(em: EntityManager, uuid: string): Promise<void> {
  await em.nativeUpdate(Charge, uuid, { cancelUnanswered: false })
}

/** Withdraws the request to cancel a charge, which its provider has refused; one that is CANCELLED keeps it. */
export async function withdrawCancellation(em: EntityManager, uuid: string): Promise<void> {
  await em.nativeUpdate(Charge, { uuid, state: { $ne: 'cancelled' } }, { cancelRequestedAt: null })
}

/** Builds the select of charges by a query of keys, and the mapper of its rows. */
function buildChargeSelect(em: EntityManager) {
  const charge = getEntityMapper(em, Charge, 'c')
  const movement = getEntityMapper(em, Movement, 'm')
  return {
    select: (
      keys: string,
      order: RowOrder = NEWEST_FIRST,
    ) => `select ${charge.columns}, k.provider, ${movement.columns}, ${SPLITS_COLUMN} as splits, ${REFUNDS_COLUMN} as refunds
     from (${keys}) page
     join charge c on c.uuid = page.uuid
     join connection k on k.uuid = c.connection_uuid
     left join movement m on m.uuid = c.movement_uuid
     order by ${formatRowOrder(order, 'c')}`,
    mapRow: (row: ChargeRow): ChargeWithRefunds => ({
      ...charge.mapRow(row),
      connection: { uuid: row.c_connection_uuid as string, provider: row.provider },
      movement: row.m_uuid === null ? null : movement.mapRow(row),
      splits: row.splits ?? [],
      refunds: row.refunds ?? [],
    }),
  }
}

const SPLITS_COLUMN = `(
  select json_agg(json_build_object('uuid', s.uuid, 'type', s.type, 'amount', s.amount, 'status', s.status,
    'creditedCents', s.credited_cents,
    'recipient', json_build_object('uuid', a.uuid, 'name', a.name)) order by s.position)
  from split s join account a on a.uuid = s.recipient_account_uuid where s.charge_uuid = c.uuid
)`

/** Returns the query that tells whether a charge has splits; most have none. */
export function queryHasSplits(chargeUuid: string): Query<boolean> {
  return query('select from split where charge_uuid = ? limit 1', [chargeUuid], rows => rows.length > 0)
}

/** The refunds of a charge, oldest first. Only a paid one has any; others are not looked up. */
const REFUNDS_COLUMN = `case when c.paid_at is not null then (
  select json_agg(json_build_object('uuid', f.uuid, 'state', f.state, 'feeCents', f.fee_cents, 'splitCents', (
      select coalesce(sum((part ->> 'cents')::bigint), 0) from jsonb_array_elements(f.parts) part where part ->> 'splitUuid' is not null
    )) order by f.created_at, f.uuid)
  from refund f where f.charge_uuid = c.uuid
) end`

/** Returns the query of a charge's state, which locks its row; undefined where there is no row yet. */
export function queryLockedChargeState(chargeUuid: string): Query<ChargeState | undefined> {
  const sql = 'select state from charge where uuid = ? for no key update'
  return query(sql, [chargeUuid], ([charge]) => charge?.state as ChargeState | undefined)
}

type ReadChargeKind = { isDue: boolean; isDebit?: true; debit?: AutomaticDebit }

/** Returns the query that tells whether a charge has a due date, or is a debit, and which; without a row it is neither. */
export function queryChargeKind(chargeUuid: string): Query<ReadChargeKind> {
  const sql = `select c.due is not null as "isDue", c.debit_on as "dueOn", c.recurrence_uuid as "recurrenceUuid", r.rail_id as "railId"
    from charge c left join recurrence r on r.uuid = c.recurrence_uuid where c.uuid = ?`
  return query(sql, [chargeUuid], ([charge]) => ({
    isDue: charge?.isDue === true,
    ...(charge?.dueOn != null && {
      isDebit: true as const,
      debit: describeDebit(charge as { railId: string; recurrenceUuid: string; dueOn: string }),
    }),
  }))
}

/**
 * Returns whether a charge that is no longer `issuing` has no attempt at the provider account. One statement, because
 * the attempt may be inserted concurrently.
 */
export function isChargeAtOtherAccount(
  em: EntityManager,
  { uuid, providerAccountUuid }: { uuid: string; providerAccountUuid: string },
): Promise<boolean> {
  return selectValue(
    em,
    `select exists (select from charge c where c.uuid = ? and c.state <> 'issuing' and not exists (
       select from attempt a where a.subject_uuid = c.uuid and a.provider_account_uuid = ?))`,
    [uuid, providerAccountUuid],
  )
}

/**
 * Returns whether a PIX of this value may pay a charge at the provider account that is not paid yet: any value may pay one with a due date.
 * A PIX to a static code is known by its txid: the charge of one does not expire, and no other PIX would wait for it.
 */
export async function mayPayCharge(
  em: EntityManager,
  { providerAccountUuid, cents }: { providerAccountUuid: string; cents: number },
): Promise<boolean> {
  const charge = await em.findOne(
    Charge,
    {
      providerAccountUuid,
      state: { $in: ['pending', 'debiting', 'paying'] },
      qrCodeUuid: null,
      $or: [{ valueCents: 0 }, { totalCents: cents }, { due: { $ne: null } }],
    },
    { fields: ['uuid'], disableIdentityMap: true },
  )
  return charge !== null
}

/** Queries the sum of a charge's settled refunds, in centavos. */
export function querySettledRefundCents(chargeUuid: string): Query<number> {
  return query(
    `select coalesce(sum(value_cents), 0)::float8 as cents from refund where charge_uuid = ? and state = 'settled'`,
    [chargeUuid],
    ([row]) => Number(row!.cents),
  )
}

/**
 * Builds the condition of the charges that the PIX with an end-to-end id has paid, or with a provider's name in its place. The name of a
 * PIX that ends with its id is found by that id.
 */
export function isPaidByPix(endToEnd: string): OptionalSqlCondition {
  return ['right(end_to_end, 32) = ?', showEndToEndId(endToEnd) || endToEnd]
}

type AccountOfPayers = { accountUuid: string }

/** Builds the condition of the charges whose payer has a document. */
export function isPaidByDocument({ accountUuid }: AccountOfPayers, document: string): OptionalSqlCondition {
  return isPaidBy("sender->>'document' = ?", accountUuid, document)
}

/** Builds the condition of the charges whose payer's name begins so. */
export function isPaidByName({ accountUuid }: AccountOfPayers, name: string): OptionalSqlCondition {
  return isPaidBy("lower(sender->>'name') like ?", accountUuid, buildPrefixPattern(name))
}

/** The payment is found by the indexes of payers; a second payment of the charge may have another one. */
function isPaidBy(payer: string, accountUuid: string, value: string): OptionalSqlCondition {
  return [
    `(uuid, movement_uuid) in (select charge_uuid, uuid from movement
       where account_uuid = ? and type = 'EXTERNAL_TRANSFER' and charge_uuid is not null and ${payer})`,
    accountUuid,
    value,
  ]
}
