import { z } from 'zod'
import {
  type LedgerBalancesQuery,
  type ShownLedgerBalances,
  showLedgerPeriod,
} from '../../contract/ledger/ledger-balances.ts'
import { type LedgerQuery, showLedgerLine } from '../../contract/ledger/ledger-line.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { readLedgerPeriods } from '../../db/repositories/ledger-balances.ts'
import {
  countLedgerLines,
  type LedgerLine,
  type LedgerLineFilter,
  type LedgerScope,
  readLedgerLines,
} from '../../db/repositories/ledger-lines.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { buildDayRange, buildEmptyPage, createdDaysOf, mapPage, readOrderedPage } from './pagination.ts'

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

/** Reads the opening and closing balance of a period at each provider account that a token may see. */
export async function readLedgerBalances(
  em: EntityManager,
  token: CallerToken,
  query: LedgerBalancesQuery,
): Promise<ShownLedgerBalances> {
  const scope = getLedgerScope(token, query)
  const days = buildDayRange(createdDaysOf(query))
  const periods = scope ? await readLedgerPeriods(em, scope, days) : []
  return {
    date_from: query.date_from ?? null,
    date_to: query.date_to ?? null,
    time_zone: query.time_zone,
    balances: periods.map(showLedgerPeriod),
  }
}

/**
 * Returns what a token may see of the connection in the filter, or of all; null where that is nothing: a provider-bound
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

export function buildLineFilter(query: Omit<LedgerQuery, 'page' | 'per_page'>): LedgerLineFilter {
  return {
    days: buildDayRange(createdDaysOf(query)),
    types: query.type,
    operationTypes: query.operation_type,
    operationUuid: query.operation_uuid,
    endToEnd: query.end_to_end,
  }
}
