import { showTransfer, type TransfersQuery } from '../../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { readTransfer, readTransfers, type TransferWithAttempts } from '../../../db/repositories/transfers.ts'
import { joinConditions } from '../../../db/sql-conditions.ts'
import { transferMachine } from '../../../domain/transfers/transfer.ts'
import { fail } from '../../../http/api-error.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { scopeOf } from '../../authorization/scope.ts'
import { buildDayConditions } from '../pagination.ts'
import { listVisibleRows } from '../visible-list.ts'

export function findTransfer(em: EntityManager, uuid: string): Promise<TransferWithAttempts | null> {
  return readTransfer(em, joinConditions(['uuid = ?', uuid]), null)
}

/** Reads a transfer that the token may see, with the attempts that the token may see (SPEC §9), or fails with 404. */
export async function requireVisibleTransfer(em: EntityManager, token: CallerToken, uuid: string) {
  const condition = joinConditions(['uuid = ?', uuid], ...scopeOf(token))
  return (await readTransfer(em, condition, token.connectionUuid)) ?? fail('not_found')
}

export function listTransfers(em: EntityManager, token: CallerToken, query: TransfersQuery) {
  return listVisibleRows(em, {
    ...{ noun: 'transfer', token, query, states: query.status?.flatMap(transferMachine.statesShowing) },
    filters: [
      query.uuid !== undefined && ['uuid = ?', query.uuid],
      query.type === 'UNDEFINED' && ['false'],
      query.external_ref !== undefined && ['external_ref = ?', query.external_ref],
      query.end_to_end !== undefined && ['end_to_end = ?', query.end_to_end],
      query.pix_key !== undefined && ['pix_key = ?', query.pix_key],
      query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
      ...buildDayConditions('created_at', query.date_from, query.date_to),
      ...buildDayConditions('settled_at', query.transfer_date_from, query.transfer_date_to),
    ],
    read: page => readTransfers(em, page, token.connectionUuid),
    show: rows => rows.map(row => showTransfer(row, row.attempts)),
  })
}
