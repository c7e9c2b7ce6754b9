import type { Semaphore } from '../../domain/shared/semaphore.ts'
import type { EntityManager } from '../client/orm.ts'
import { type LedgerOpening, readLedgerOpenings } from './ledger-balances.ts'
import {
  type DayRange,
  type LedgerBounds,
  type LedgerLine,
  type LedgerLineFilter,
  type LedgerScope,
  readLedgerBounds,
  readLedgerLinesAfter,
} from './ledger-lines.ts'

/** Reads a statement of any length, batch by batch. `semaphore` limits the batches of one account that are read at once. */

/** Lines per statement of the database. Between two of them a file holds no connection, however slow its reader is. */
const LINES_PER_BATCH = 1_000

export type StatementReader = { em: EntityManager; semaphore: Semaphore; scope: LedgerScope }

/** Opens the lines of a filter, the oldest first. Later lines than those of this moment are not read. */
export async function openStatementLines(
  reader: StatementReader,
  filter: LedgerLineFilter,
): Promise<AsyncGenerator<LedgerLine>> {
  const bounds = await readLedgerBounds(reader.em, reader.scope)
  return readBatches(reader, { bounds, filter })
}

/** The statement of one provider account: the balance before it, and its lines. */
export type OpenedStatement = { opening: LedgerOpening; lines: AsyncGenerator<LedgerLine> }

/** Opens the statement of some days at each provider account of the scope, one after the other. */
export async function openStatements(
  reader: StatementReader,
  days: DayRange | undefined,
): Promise<OpenedStatement[]> {
  const { em, scope } = reader
  const openings = await readLedgerOpenings(em, scope, days?.$gte)
  const bounds = await readLedgerBounds(em, scope)
  return openings.map(opening => {
    const accountScope = { ...scope, connectionUuid: opening.connection_uuid }
    return { opening, lines: readBatches({ ...reader, scope: accountScope }, { bounds, filter: { days } }) }
  })
}

async function* readBatches(
  { em, semaphore, scope }: StatementReader,
  { bounds, filter }: { bounds: LedgerBounds; filter: LedgerLineFilter },
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
