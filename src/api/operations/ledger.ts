import { Readable } from 'node:stream'
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
} from '../../contract/ledger/ledger-line.ts'
import { createOfxWriter } from '../../contract/ledger/statement-ofx.ts'
import { type CsvColumns, openCsvFile } from '../../contract/shared/csv.ts'
import { endOfDay, startOfDay } from '../../contract/shared/time-zone.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import {
  type LedgerOpening,
  readLedgerOpenings,
  readLedgerPeriods,
} from '../../db/repositories/ledger-balances.ts'
import {
  countLedgerLines,
  type LedgerBounds,
  type LedgerLine,
  type LedgerLineFilter,
  type LedgerScope,
  type LedgerSpanSum,
  readLedgerBounds,
  readLedgerLines,
  readLedgerLinesAfter,
  sumLedgerLines,
} from '../../db/repositories/ledger-lines.ts'
import { SECOND } from '../../domain/shared/intervals.ts'
import { createSemaphore, type Semaphore } from '../../domain/shared/semaphore.ts'
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

/** Lines per statement of the database. Between two of them a file holds no connection, however slow its reader is. */
const LINES_PER_BATCH = 1_000
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
      const statement = scope && {
        scope,
        bounds: await readLedgerBounds(em, scope),
        filter: buildLineFilter(query),
      }
      async function* lines() {
        if (!statement) return
        for await (const row of readStatement(em, semaphore, statement)) yield showLedgerLine(row)
      }
      return openCsvFile({ columns, rows: lines(), style: query })
    },

    /** Opens the lines of a period as OFX: a statement per provider account, with its closing balance. */
    async openOfx({ em, token, query }: FileRequest<LedgerOfxQuery>): Promise<Readable> {
      const scope = getLedgerScope(token, query)
      const at = new Date()
      const days = buildCreationRange(query)
      const openings = scope ? await readLedgerOpenings(em, scope, days?.$gte) : []
      const bounds = scope ? await readLedgerBounds(em, scope) : []
      const write = createOfxWriter({ timeZone: query.time_zone, at })
      const lastSecond = days?.$lt && new Date(days.$lt.getTime() - SECOND)
      const to = lastSecond && lastSecond < at ? lastSecond : at
      async function* text() {
        yield write.begin()
        for (const opening of openings) {
          const statement = {
            scope: { ...scope!, connectionUuid: opening.connection_uuid },
            bounds,
            filter: { days },
          }
          yield* writeOfxStatement(readStatement(em, semaphore, statement), {
            write,
            opening,
            from: days?.$gte,
            to,
          })
        }
        yield write.end()
      }
      return Readable.from(text(), { objectMode: false })
    },
  }
}

type OfxPeriod = {
  write: ReturnType<typeof createOfxWriter>
  opening: LedgerOpening
  from: Date | undefined
  to: Date
}

/** Writes the statement of one provider account. Its balance is the sum of what is written, whenever lines are booked. */
async function* writeOfxStatement(
  rows: AsyncGenerator<LedgerLine>,
  { write, opening, from, to }: OfxPeriod,
): AsyncGenerator<string> {
  let balanceCents = opening.opening_cents
  let nextLine = await rows.next()
  yield write.beginStatement({
    provider: { uuid: opening.connection_uuid, provider: opening.provider },
    virtualAccount: opening.virtual_account,
    from: from ?? (nextLine.done ? to : new Date(nextLine.value.created_at)),
    to,
  })
  for (; !nextLine.done; nextLine = await rows.next()) {
    if (write.isUnsent(nextLine.value)) continue
    balanceCents += nextLine.value.cents
    yield write.line(showLedgerLine(nextLine.value))
  }
  yield write.endStatement({ balanceCents, asOf: to })
}

type StatementLines = { scope: LedgerScope; bounds: LedgerBounds; filter: LedgerLineFilter }

/** Reads the lines of a statement batch by batch, the oldest first. */
async function* readStatement(
  em: EntityManager,
  semaphore: Semaphore,
  { scope, bounds, filter }: StatementLines,
): AsyncGenerator<LedgerLine> {
  let afterId = '0'
  while (bounds.length > 0) {
    const release = await semaphore.acquire(scope.accountUuid)
    const page = { ...filter, afterId, bounds, limit: LINES_PER_BATCH }
    const rows = await readLedgerLinesAfter(em, scope, page).finally(release)
    yield* rows
    if (rows.length < LINES_PER_BATCH) return
    afterId = rows.at(-1)!.id
  }
}
