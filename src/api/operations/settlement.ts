import { endOfDay, startOfDay } from '../../contract/shared/time-zone.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { readInSnapshot } from '../../db/client/transaction.ts'
import { readLedgerPeriods } from '../../db/repositories/ledger-balances.ts'
import type { NamedSpan } from '../../db/repositories/ledger-lines.ts'
import { readSettlementSums } from '../../db/repositories/settlement.ts'
import { SETTLEMENT_FIGURES, type SettlementFigure } from '../../domain/ledger/movement.ts'
import type { ProviderName } from '../../domain/providers/provider.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { getLedgerScope } from './ledger.ts'

/** The settlement report: what each day, or each month, brought and took, from its opening to its closing balance. */

/** A day (`YYYY-MM-DD`) or a month (`YYYY-MM`) at one provider account. Amounts in centavos, what left is negative. */
export type SettlementRow = {
  span: string
  /** Whether lines may still be added: the span is not over. */
  isRunning: boolean
  openingCents: number
  figures: Record<SettlementFigure, number>
  closingCents: number
  lines: number
}

export type SettlementReport = {
  connectionUuid: string
  provider: ProviderName
  rows: SettlementRow[]
  /** All spans together. */
  total: SettlementRow
}

/** Which spans a report has: the days of a month (`2026-11`), or the months of a year (`2026`). */
export type SettlementPeriod = { name: string; timeZone: string }

/** Reads the report of each provider account that a token may see, in one snapshot. A span that has not begun is left out. */
export async function readSettlement(
  requestEm: EntityManager,
  token: CallerToken,
  { provider_uuid, ...period }: SettlementPeriod & { provider_uuid?: string | undefined },
  now = new Date(),
): Promise<SettlementReport[]> {
  const scope = getLedgerScope(token, { provider_uuid })
  const spans = listSpans(period).filter(({ from }) => from <= now)
  const [first, last] = [spans[0], spans.at(-1)]
  if (!scope || !first || !last) return []
  return readInSnapshot(requestEm, async em => {
    const accounts = await readLedgerPeriods(em, scope, { $gte: first.from, $lt: last.before })
    const sums = await readSettlementSums(em, scope, spans)
    return accounts.map(account => {
      const accountSums = sums.filter(sum => sum.connection_uuid === account.connection_uuid)
      let openingCents = account.opening_cents
      const rows = spans.map(span => {
        const row = buildRow(span, {
          now,
          openingCents,
          sums: accountSums.filter(sum => sum.span === span.name),
        })
        openingCents = row.closingCents
        return row
      })
      const wholePeriod = { name: period.name, from: first.from, before: last.before }
      const total = buildRow(wholePeriod, { now, openingCents: account.opening_cents, sums: accountSums })
      return { connectionUuid: account.connection_uuid, provider: account.provider, rows, total }
    })
  })
}

/** Lists the days of a month, or the months of a year, by the clocks of a time zone. */
export function listSpans({ name, timeZone }: SettlementPeriod): NamedSpan[] {
  const isYear = /^\d{4}$/.test(name)
  const count = isYear ? 12 : daysOfMonth(name)
  return Array.from({ length: count }, (_, index) => {
    const part = `${name}-${String(index + 1).padStart(2, '0')}`
    const [firstDay, lastDay] = isYear ? [`${part}-01`, `${part}-${daysOfMonth(part)}`] : [part, part]
    return { name: part, from: startOfDay(firstDay, timeZone), before: endOfDay(lastDay, timeZone) }
  })
}

function daysOfMonth(month: string): number {
  const [year, number] = month.split('-').map(Number)
  return new Date(Date.UTC(year!, number!, 0)).getUTCDate()
}

type SpanSums = {
  now: Date
  openingCents: number
  sums: { figure: SettlementFigure; cents: number; lines: number }[]
}

function buildRow(span: NamedSpan, { now, openingCents, sums }: SpanSums): SettlementRow {
  const figures = Object.fromEntries(SETTLEMENT_FIGURES.map(figure => [figure, 0])) as Record<
    SettlementFigure,
    number
  >
  for (const { figure, cents } of sums) figures[figure] += cents
  const movedCents = sums.reduce((total, { cents }) => total + cents, 0)
  return {
    span: span.name,
    isRunning: span.before > now,
    openingCents,
    figures,
    closingCents: openingCents + movedCents,
    lines: sums.reduce((total, { lines }) => total + lines, 0),
  }
}
