import { attemptsOf, attemptsOfAll } from '../../db/attempts.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import type { EntityManager } from '../../db/orm.ts'
import { transfer as life } from '../../domain/transfer.ts'
import { showTransfer, type TransfersQuery } from '../../wire/transfer.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { daysBetween, newestFirst, pageOf } from '../pagination.ts'
import { talliedTotal } from '../totals.ts'
import { visibleTo } from '../visible.ts'

const SHOWN = ['connection', 'movement'] as const

/** A transfer by primary key, whoever's it is. */
export function findTransfer(em: EntityManager, uuid: string) {
  return em.findOne(Transfer, uuid, { populate: [...SHOWN] })
}

/** A transfer of the token's account and provider, or 404. */
export async function transferOf(em: EntityManager, token: Token, uuid: string): Promise<Transfer> {
  const transfer = await em.findOne(
    Transfer,
    { $and: [{ uuid }, visibleTo(token)] },
    { populate: [...SHOWN] },
  )
  return transfer ?? refuse('not_found')
}

/** A transfer as a token sees it: where it is bound to a provider, with that provider's attempts only (SPEC §9). */
export async function shown(em: EntityManager, token: Token, uuid: string) {
  const transfer = await transferOf(em, token, uuid)
  return showTransfer(transfer, await attemptsOf(em, uuid, token))
}

/** One page of the transfers that a token sees, newest first. */
export async function listTransfers(em: EntityManager, token: Token, query: TransfersQuery) {
  const where = { $and: [visibleTo(token), wanted(query)] }
  const rows = await em.find(Transfer, where, { populate: [...SHOWN], ...newestFirst(query) })
  const tallied = await talliedTotal(em, { token, query, noun: 'transfer', statesOf: life.shown })
  const total = tallied ?? (await em.count(Transfer, where))
  const attempts = await attemptsOfAll(
    em,
    rows.map(row => row.uuid),
    token,
  )
  return pageOf({ ...query, total, rows: rows.map(row => showTransfer(row, attempts.get(row.uuid) ?? [])) })
}

/** SPEC §1's filters; an absent one asks for nothing. */
function wanted(query: TransfersQuery) {
  const created = daysBetween(query.date_from, query.date_to)
  const settled = daysBetween(query.transfer_date_from, query.transfer_date_to)
  return {
    ...(query.uuid !== undefined && { uuid: query.uuid }),
    ...(query.status && { state: { $in: query.status.flatMap(life.shown) } }),
    ...(query.type === 'UNDEFINED' && { state: { $in: [] } }),
    ...(query.external_ref !== undefined && { externalRef: query.external_ref }),
    ...(query.end_to_end !== undefined && { endToEnd: query.end_to_end }),
    ...(query.pix_key !== undefined && { pixKey: query.pix_key }),
    ...(query.provider_uuid !== undefined && { connection: query.provider_uuid }),
    ...(created && { createdAt: created }),
    ...(settled && { settledAt: settled }),
  }
}
