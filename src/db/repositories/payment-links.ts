import type { EntityManager } from '../client/orm.ts'
import { formatTextArray, type OptionalSqlCondition } from '../sql-conditions.ts'

/** A charge that a payer has asked a link for; the row of the charge may not be stored yet. */
export type LinkCharge = { chargeUuid: string; pressKey: string }

/** How many charges of a link are paid, and how many others can be paid. */
export type LinkPlaces = { paid: number; open: number }

/**
 * Takes a place of a link for the charge of a press, before the charge is created; the same press takes no second one. Fails with
 * the constraint `payment_link_open` or `payment_link_full` where the link creates no charge now.
 */
export async function takeLinkPlace(
  em: EntityManager,
  { linkUuid, chargeUuid, pressKey }: LinkCharge & { linkUuid: string },
): Promise<void> {
  await em.execute('insert into payment_link_charge (charge_uuid, link_uuid, press_key) values (?, ?, ?)', [
    chargeUuid,
    linkUuid,
    pressKey,
  ])
}

const LINK_CHARGE_COLUMNS = 'charge_uuid as "chargeUuid", press_key as "pressKey"'

/** Finds a charge that was asked of a link, whatever became of it. */
export async function findLinkCharge(
  em: EntityManager,
  { linkUuid, chargeUuid }: { linkUuid: string; chargeUuid: string },
): Promise<LinkCharge | undefined> {
  const [row] = await em.execute<LinkCharge[]>(
    `select ${LINK_CHARGE_COLUMNS} from payment_link_charge where link_uuid = ? and charge_uuid = ?`,
    [linkUuid, chargeUuid],
  )
  return row
}

/** Finds the newest charge that takes a place of a link. */
export async function findPlacedCharge(em: EntityManager, linkUuid: string): Promise<LinkCharge | undefined> {
  const [row] = await em.execute<LinkCharge[]>(
    `select ${LINK_CHARGE_COLUMNS} from payment_link_places(?) order by created_at desc limit 1`,
    [linkUuid],
  )
  return row
}

/** Counts the charges that take the places of links, by the uuid of the link; a link without any has no entry. */
export async function countLinkPlaces(
  em: EntityManager,
  linkUuids: string[],
): Promise<Map<string, LinkPlaces>> {
  if (linkUuids.length === 0) return new Map()
  const rows = await em.execute<(LinkPlaces & { uuid: string })[]>(
    `select l.uuid, count(*) filter (where t.is_paid)::int as paid, count(*) filter (where not t.is_paid)::int as open
     from unnest(?::uuid[]) as l (uuid) cross join lateral payment_link_places(l.uuid) t group by l.uuid`,
    [formatTextArray(linkUuids)],
  )
  return new Map(rows.map(({ uuid, ...places }) => [uuid, places]))
}

/** Builds the condition of the charges that a link has created. */
export function isOfPaymentLink(linkUuid: string): OptionalSqlCondition {
  return ['uuid in (select charge_uuid from payment_link_charge where link_uuid = ?)', linkUuid]
}
