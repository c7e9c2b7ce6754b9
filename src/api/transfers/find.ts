import type { EntityManager } from '../../db/orm.ts'
import { countTransfers, readTransfer, readTransfers, type TriedTransfer } from '../../db/transfers.ts'
import { type Condition, textArray, where } from '../../db/where.ts'
import { transfer as life } from '../../domain/transfer.ts'
import { showTransfer, type TransfersQuery } from '../../wire/transfer.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { daysBetween, endedBefore, offsetOf, pageOf } from '../pagination.ts'
import { talliedTotal } from '../totals.ts'
import { seenBy } from '../visible.ts'

/** A transfer by primary key, whoever's it is, with its attempts. */
export function findTransfer(em: EntityManager, uuid: string): Promise<TriedTransfer | null> {
  return readTransfer(em, where(['uuid = ?', uuid]), null)
}

/** A transfer of the token's account and provider, with the attempts that the token sees (SPEC §9), or 404. */
export async function transferOf(em: EntityManager, token: Token, uuid: string): Promise<TriedTransfer> {
  const by = where(['uuid = ?', uuid], ...seenBy(token))
  return (await readTransfer(em, by, token.connectionUuid)) ?? refuse('not_found')
}

/** One page of the transfers that a token sees, newest first. */
export async function listTransfers(em: EntityManager, token: Token, query: TransfersQuery) {
  const asked = where(...seenBy(token), ...wanted(query))
  const [rows, tallied] = await Promise.all([
    readTransfers(em, asked, {
      limit: query.per_page,
      offset: offsetOf(query),
      through: token.connectionUuid,
    }),
    talliedTotal(em, { token, query, noun: 'transfer', statesOf: life.shown }),
  ])
  const total = tallied ?? (await countTransfers(em, asked))
  return pageOf({ ...query, total, rows: rows.map(row => showTransfer(row, row.attempts)) })
}

/** SPEC §1's filters; an absent one asks for nothing. */
function wanted(query: TransfersQuery): Condition[] {
  const created = daysBetween(query.date_from, query.date_to)
  const settled = daysBetween(query.transfer_date_from, query.transfer_date_to)
  return [
    query.uuid !== undefined && ['uuid = ?', query.uuid],
    query.status && ['state = any(?::text[])', textArray(query.status.flatMap(life.shown))],
    query.type === 'UNDEFINED' && ['false'],
    query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
    query.end_to_end !== undefined && ['end_to_end = ?', query.end_to_end],
    query.pix_key !== undefined && ['pix_key = ?', query.pix_key],
    query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
    created?.$gte && ['created_at >= ?', created.$gte],
    created?.$lt && ['created_at < ?', created.$lt],
    settled?.$gte && ['settled_at >= ?', settled.$gte],
    ...endedBefore('settled_at', settled?.$lt),
  ]
}
