import type { z } from 'zod'
import type { LedgerQuery, ledgerLineSchema } from '../../contract/ledger/ledger-line.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { countLedgerLines, type LedgerLine, readLedgerLines } from '../../db/repositories/ledger-lines.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { buildDayRange, buildListPage, computePageOffset } from './pagination.ts'

/** Lists one page of the ledger lines that changed the available balance a token may see, newest first. */
export async function listLedgerLines(em: EntityManager, token: CallerToken, query: LedgerQuery) {
  const { date_from: createdFrom, date_to: createdTo, provider_uuid: filtered = token.connectionUuid } = query
  // A provider-bound token may name another connection in the filter, though both may share one provider account.
  if (token.connectionUuid !== null && filtered !== token.connectionUuid)
    return buildListPage({ ...query, total: 0, rows: [] })
  const scope = { ...token, connectionUuid: filtered }
  const [rows, total] = await Promise.all([
    readLedgerLines(em, scope, {
      days: buildDayRange(createdFrom, createdTo),
      limit: query.per_page,
      offset: computePageOffset(query),
    }),
    countLedgerLines(em, scope, { createdFrom, createdTo }),
  ])
  return buildListPage({ ...query, total, rows: rows.map(showLedgerLine) })
}

function showLedgerLine(row: LedgerLine): z.output<typeof ledgerLineSchema> {
  return {
    uuid: row.uuid,
    type: row.type,
    movement_type: row.cents > 0 ? 'IN' : 'OUT',
    value: Math.abs(row.cents),
    balance: row.balance_cents,
    status: row.status,
    end_to_end: row.end_to_end ?? '',
    ...(row.reason && { reason: row.reason }),
    ...(row.charge_uuid && { charge_uuid: row.charge_uuid }),
    ...(row.transfer_uuid && { transfer_uuid: row.transfer_uuid }),
    ...(row.refund_uuid && { refund_uuid: row.refund_uuid }),
    provider: { uuid: row.connection_uuid, provider: row.provider },
    created_at: new Date(row.created_at),
  }
}
