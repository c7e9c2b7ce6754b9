import { raw } from '@mikro-orm/core'
import { textFromCents } from '../../domain/ledger/money.ts'
import type { EntityManager } from '../client/orm.ts'
import { ChargeExpiry } from '../entities/charge-expiry.ts'
import { IS_PAST_EXPIRY_SQL, MAX_LISTED_ROWS } from './operator-lists.ts'

/** Returns whether an operator has confirmed that a charge was not paid. */
export async function isExpiryConfirmed(em: EntityManager, chargeUuid: string): Promise<boolean> {
  return (await em.count(ChargeExpiry, { chargeUuid })) > 0
}

/** Returns whether an operator confirmed it at least `waitMs` ago, by the clock of PostgreSQL. */
export async function isExpiryConfirmedFor(
  em: EntityManager,
  { chargeUuid, waitMs }: { chargeUuid: string; waitMs: number },
): Promise<boolean> {
  const confirmedBefore = raw('now() - make_interval(secs => ?)', [waitMs / 1_000])
  return (await em.count(ChargeExpiry, { chargeUuid, confirmedAt: { $lte: confirmedBefore } })) > 0
}

/** Sums the PIX that were recorded as unmatched payments of a charge, in centavos. */
const RECEIVED_CENTS_SQL = `(select coalesce(sum(m.value_cents), 0) from movement m
  where m.charge_uuid = c.uuid and m.movement_type = 'IN' and m.disposition is not null)::float8`

/** A charge that has not ended a day after its expiry. */
type ChargePastExpiry = { uuid: string; connectionUuid: string; receivedCents: number }

/** Finds a charge with what was received for it, if it has not ended a day after its expiry. Locks its row. */
export async function lockChargePastExpiry(
  em: EntityManager,
  uuid: string,
): Promise<ChargePastExpiry | undefined> {
  const [found] = await em.execute<ChargePastExpiry[]>(
    `select uuid, connection_uuid as "connectionUuid", ${RECEIVED_CENTS_SQL} as "receivedCents"
     from charge c where uuid = ? and ${IS_PAST_EXPIRY_SQL} for no key update of c`,
    [uuid],
  )
  return found
}

/** Lists the charges that have not ended a day after their expiry, with what was received for each, the oldest first. */
export async function listChargesPastExpiry(em: EntityManager): Promise<object[]> {
  const rows = await em.execute<
    (ChargePastExpiry & { totalCents: number; expires_at: Date; is_confirmed: boolean })[]
  >(
    `select uuid, connection_uuid as "connectionUuid", total_cents::float8 as "totalCents", expires_at,
       ${RECEIVED_CENTS_SQL} as "receivedCents",
       exists (select from charge_expiry e where e.charge_uuid = c.uuid) as is_confirmed
     from charge c where ${IS_PAST_EXPIRY_SQL} order by expires_at limit ${MAX_LISTED_ROWS}`,
  )
  return rows.map(({ uuid, connectionUuid, totalCents, receivedCents, ...row }) => ({
    charge: uuid,
    connection: connectionUuid,
    total: textFromCents(totalCents),
    received: textFromCents(receivedCents),
    ...row,
  }))
}
