import { Readable } from 'node:stream'
import type { LedgerCsvQuery, LedgerOfxQuery } from '../../contract/ledger/ledger-files.ts'
import { showLedgerLine } from '../../contract/ledger/ledger-line.ts'
import { STATEMENT_COLUMNS } from '../../contract/ledger/statement-csv.ts'
import { createOfxWriter } from '../../contract/ledger/statement-ofx.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { type LedgerOpening, readLedgerOpenings } from '../../db/repositories/ledger-balances.ts'
import {
  type LedgerBounds,
  type LedgerLine,
  type LedgerLineFilter,
  type LedgerScope,
  readLedgerBounds,
  readLedgerLinesAfter,
} from '../../db/repositories/ledger-lines.ts'
import { SECOND } from '../../domain/shared/intervals.ts'
import { createSemaphore, type Semaphore } from '../../domain/shared/semaphore.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { openCsvFile } from './csv-file.ts'
import { buildLineFilter, getLedgerScope } from './ledger.ts'
import { buildDayRange, createdDaysOf } from './pagination.ts'

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
    async openCsv({ em, token, query }: FileRequest<LedgerCsvQuery>): Promise<Readable> {
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
      return openCsvFile({ columns: STATEMENT_COLUMNS, rows: lines(), style: query })
    },

    /** Opens the lines of a period as OFX: a statement per provider account, with its closing balance. */
    async openOfx({ em, token, query }: FileRequest<LedgerOfxQuery>): Promise<Readable> {
      const scope = getLedgerScope(token, query)
      const at = new Date()
      const days = buildDayRange(createdDaysOf(query))
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
  let next = await rows.next()
  yield write.beginStatement({
    provider: { uuid: opening.connection_uuid, provider: opening.provider },
    virtualAccount: opening.virtual_account,
    from: from ?? (next.done ? to : new Date(next.value.created_at)),
    to,
  })
  for (; !next.done; next = await rows.next()) {
    if (write.isUnsent(next.value)) continue
    balanceCents += next.value.cents
    yield write.line(showLedgerLine(next.value))
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
