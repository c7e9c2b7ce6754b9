import { showTransfer, type TransfersQuery } from '../../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { readTransfer, readTransfers, type TransferWithAttempts } from '../../../db/repositories/transfers.ts'
import {
  countRows,
  hasAnyState,
  joinConditions,
  type OptionalSqlCondition,
} from '../../../db/sql-conditions.ts'
import { transferMachine } from '../../../domain/transfers/transfer.ts'
import { fail } from '../../../http/api-error.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { scopeOf } from '../../authorization/scope.ts'
import { readListTotal } from '../list-total.ts'
import { buildDayConditions, buildListPage, computePageOffset } from '../pagination.ts'

export function findTransfer(em: EntityManager, uuid: string): Promise<TransferWithAttempts | null> {
  return readTransfer(em, joinConditions(['uuid = ?', uuid]), null)
}

/** Reads a transfer that the token may see, with the attempts that the token may see (SPEC §9), or fails with 404. */
export async function requireVisibleTransfer(em: EntityManager, token: CallerToken, uuid: string) {
  const condition = joinConditions(['uuid = ?', uuid], ...scopeOf(token))
  return (await readTransfer(em, condition, token.connectionUuid)) ?? fail('not_found')
}

export async function listTransfers(em: EntityManager, token: CallerToken, query: TransfersQuery) {
  const conditions = joinConditions(...scopeOf(token), ...buildTransferConditions(query))
  const [rows, countedTotal] = await Promise.all([
    readTransfers(em, conditions, {
      limit: query.per_page,
      offset: computePageOffset(query),
      connectionUuid: token.connectionUuid,
    }),
    readListTotal(em, { token, query, noun: 'transfer', statesOf: transferMachine.statesShowing }),
  ])
  const total = countedTotal ?? (await countRows(em, 'transfer', conditions))
  return buildListPage({ ...query, total, rows: rows.map(row => showTransfer(row, row.attempts)) })
}

function buildTransferConditions(query: TransfersQuery): OptionalSqlCondition[] {
  return [
    query.uuid !== undefined && ['uuid = ?', query.uuid],
    query.status && hasAnyState(query.status.flatMap(transferMachine.statesShowing)),
    query.type === 'UNDEFINED' && ['false'],
    query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
    query.end_to_end !== undefined && ['end_to_end = ?', query.end_to_end],
    query.pix_key !== undefined && ['pix_key = ?', query.pix_key],
    query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
    ...buildDayConditions('created_at', query.date_from, query.date_to),
    ...buildDayConditions('settled_at', query.transfer_date_from, query.transfer_date_to),
  ]
}
