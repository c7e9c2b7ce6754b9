import { showTransfer, type TransfersQuery } from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import {
  countTransfers,
  readTransfer,
  readTransfers,
  type TransferWithAttempts,
} from '../../db/repositories/transfers.ts'
import { formatTextArray, joinConditions, type OptionalSqlCondition } from '../../db/sql-conditions.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import { scopeOf } from '../authorization/scope.ts'
import { fail } from '../http/api-error.ts'
import { readListTotal } from '../http/list-total.ts'
import {
  buildDayRange,
  buildEndedBeforeConditions,
  buildListPage,
  computePageOffset,
} from '../http/pagination.ts'
import type { CallerToken } from '../middleware/authenticate.ts'

/** A transfer by primary key, whoever's it is, with its attempts. */
export function findTransfer(em: EntityManager, uuid: string): Promise<TransferWithAttempts | null> {
  return readTransfer(em, joinConditions(['uuid = ?', uuid]), null)
}

/** A transfer of the token's account and provider, with the attempts that the token sees (SPEC §9), or 404. */
export async function requireVisibleTransfer(
  em: EntityManager,
  token: CallerToken,
  uuid: string,
): Promise<TransferWithAttempts> {
  const by = joinConditions(['uuid = ?', uuid], ...scopeOf(token))
  return (await readTransfer(em, by, token.connectionUuid)) ?? fail('not_found')
}

/** One page of the transfers that a token sees, newest first. */
export async function listTransfers(em: EntityManager, token: CallerToken, query: TransfersQuery) {
  const asked = joinConditions(...scopeOf(token), ...buildTransferConditions(query))
  const [rows, tallied] = await Promise.all([
    readTransfers(em, asked, {
      limit: query.per_page,
      offset: computePageOffset(query),
      connectionUuid: token.connectionUuid,
    }),
    readListTotal(em, { token, query, noun: 'transfer', statesOf: transferMachine.statesShowing }),
  ])
  const total = tallied ?? (await countTransfers(em, asked))
  return buildListPage({ ...query, total, rows: rows.map(row => showTransfer(row, row.attempts)) })
}

/** SPEC §1's filters; an absent one asks for nothing. */
function buildTransferConditions(query: TransfersQuery): OptionalSqlCondition[] {
  const created = buildDayRange(query.date_from, query.date_to)
  const settled = buildDayRange(query.transfer_date_from, query.transfer_date_to)
  return [
    query.uuid !== undefined && ['uuid = ?', query.uuid],
    query.status && [
      'state = any(?::text[])',
      formatTextArray(query.status.flatMap(transferMachine.statesShowing)),
    ],
    query.type === 'UNDEFINED' && ['false'],
    query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
    query.end_to_end !== undefined && ['end_to_end = ?', query.end_to_end],
    query.pix_key !== undefined && ['pix_key = ?', query.pix_key],
    query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
    created?.$gte && ['created_at >= ?', created.$gte],
    created?.$lt && ['created_at < ?', created.$lt],
    settled?.$gte && ['settled_at >= ?', settled.$gte],
    ...buildEndedBeforeConditions('settled_at', settled?.$lt),
  ]
}
