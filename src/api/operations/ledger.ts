import type { Readable } from 'node:stream'
import { z } from 'zod'
import {
  type LedgerBalancesQuery,
  type ShownLedgerBalances,
  showLedgerPeriod,
} from '../../contract/ledger/ledger-balances.ts'
import {
  type LedgerCsvQuery,
  type LedgerOfxQuery,
  type LedgerQuery,
  type ShownLedgerLine,
  STATEMENT_COLUMNS,
  showLedgerLine,
  showLedgerLines,
} from '../../contract/ledger/ledger-line.ts'
import { openOfxFile } from '../../contract/ledger/statement-ofx.ts'
import { type CsvColumns, openCsvFile } from '../../contract/shared/csv.ts'
import { endOfDay, startOfDay } from '../../contract/shared/time-zone.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { readLedgerPeriods } from '../../db/repositories/ledger-balances.ts'
import {
  countLedgerLines,
  type LedgerLine,
  type LedgerLineFilter,
  type LedgerScope,
  type LedgerSpanSum,
  readLedgerLines,
  sumLedgerLines,
} from '../../db/repositories/ledger-lines.ts'
import { openStatementLines, openStatements } from '../../db/repositories/ledger-statement.ts'
import { createSemaphore } from '../../domain/shared/semaphore.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { buildCreationRange, buildEmptyPage, mapPage, readOrderedPage } from './pagination.ts'

/** Lists one page of the ledger lines that changed the available balance a token may see, newest first. */
export async function listLedgerLines(em: EntityManager, token: CallerToken, query: LedgerQuery) {
  const scope = getLedgerScope(token, query)
  if (!scope) return buildEmptyPage(query)
  const filter = buildLineFilter(query)
  const page = await readOrderedPage(
    {
      name: 'ledger',
      query,
      read: ({ after, ...rows }) => readLedgerLines(em, scope, { ...filter, ...rows, afterId: after?.[0] }),
      count: () => countLedgerLines(em, scope, filter),
    },
    BY_NUMBER,
  )
  return mapPage(page, showLedgerLine)
}

/** Order of lines: by their numbers, which no response shows. */
const BY_NUMBER = {
  positionOf: ({ id }: LedgerLine) => [id] as const,
  schema: z.tuple([z.string().regex(/^\d{1,18}$/)]).readonly(),
}

/** Sums the lines of a query on each of some days (`YYYY-MM-DD`), all of its time zone. */
export async function readLedgerDays(
  em: EntityManager,
  token: CallerToken,
  { days, query }: { days: string[]; query: LedgerQuery },
): Promise<LedgerSpanSum[]> {
  const scope = getLedgerScope(token, query)
  if (!scope || days.length === 0) return []
  const { time_zone: timeZone } = query
  const spans = days.map(day => ({
    name: day,
    from: startOfDay(day, timeZone),
    before: endOfDay(day, timeZone),
  }))
  return sumLedgerLines(em, scope, { ...buildLineFilter(query), spans })
}

/** Reads the opening and closing balance of a period at each provider account that a token may see. */
export async function readLedgerBalances(
  em: EntityManager,
  token: CallerToken,
  query: LedgerBalancesQuery,
): Promise<ShownLedgerBalances> {
  const scope = getLedgerScope(token, query)
  const days = buildCreationRange(query)
  const periods = scope ? await readLedgerPeriods(em, scope, days) : []
  return {
    date_from: query.date_from ?? null,
    date_to: query.date_to ?? null,
    time_zone: query.time_zone,
    balances: periods.map(showLedgerPeriod),
  }
}

/**
 * Returns what a token may see of the connection in the filter, or of all; null where that is nothing: a provider-scoped
 * token may name another connection, though both may share one provider account.
 */
export function getLedgerScope(
  token: CallerToken,
  query: Pick<LedgerQuery, 'provider_uuid'>,
): LedgerScope | null {
  const { provider_uuid: connectionUuid = token.connectionUuid } = query
  if (token.connectionUuid !== null && connectionUuid !== token.connectionUuid) return null
  return { ...token, connectionUuid }
}

function buildLineFilter(query: Omit<LedgerQuery, 'page' | 'per_page'>): LedgerLineFilter {
  return {
    days: buildCreationRange(query),
    types: query.type,
    operationTypes: query.operation_type,
    operationUuid: query.operation_uuid,
    endToEnd: query.end_to_end,
  }
}

/** Most batches of one account that are read at once. */
const MAX_CONCURRENT_BATCHES = 1

type FileRequest<Query> = { em: EntityManager; token: CallerToken; query: Query }

/** Creates the functions that open files of the statement; called once per process. */
export function createLedgerFiles() {
  const semaphore = createSemaphore(MAX_CONCURRENT_BATCHES)
  return {
    /** Opens the lines as CSV, the oldest first. Later lines than those of this moment are not in the file. */
    async openCsv(
      { em, token, query }: FileRequest<LedgerCsvQuery>,
      columns: CsvColumns<ShownLedgerLine> = STATEMENT_COLUMNS,
    ): Promise<Readable> {
      const scope = getLedgerScope(token, query)
      const lines = scope && (await openStatementLines({ em, semaphore, scope }, buildLineFilter(query)))
      return openCsvFile({ columns, rows: showLedgerLines(lines ?? []), style: query })
    },

    /** Opens the lines of a period as OFX: a statement per provider account, with its closing balance. */
    async openOfx({ em, token, query }: FileRequest<LedgerOfxQuery>): Promise<Readable> {
      const scope = getLedgerScope(token, query)
      const days = buildCreationRange(query)
      const at = new Date()
      const statements = scope ? await openStatements({ em, semaphore, scope }, days) : []
      return openOfxFile(statements, { timeZone: query.time_zone, at, days })
    },
  }
}
