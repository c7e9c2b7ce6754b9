import type { NoAnswerResult, StatementEntry } from '../../domain/providers/provider.ts'
import type { ListPeriod, ListResult, ProviderList } from '../adapter/list-reader.ts'
import { createPeriodFilter, RETURN_PERIOD_DAYS, subtractDays } from '../adapter/statement-period.ts'
import type { BacenClient } from './client.ts'
import { mapBacenSettledReturn, readBacenReturns } from './mapping.ts'
import {
  type BacenDevolucao,
  type BacenReceivedDevolucao,
  type BacenReceivedPix,
  bacenListedDevolucaoSchema,
  bacenReceivedPixSchema,
  isDisputeDevolucao,
} from './schemas.ts'

/** Filter of PIX that have a devolução. */
export const WITH_RETURNS_FILTER = { filter: { devolucaoPresente: 'true' } }

/** Builds the lists of received PIX, and of the devoluções that we have made of them. */
function buildReceivedLists(basePath: string) {
  const receivedPixList = {
    call: 'statement' as const,
    path: `${basePath}/pix`,
    field: 'pix',
    row: bacenReceivedPixSchema,
    keyOf: ({ endToEndId }: BacenReceivedPix) => endToEndId,
  }
  const incomingPix: ProviderList<'statement', BacenReceivedPix, StatementEntry[]> = {
    ...receivedPixList,
    toItem: ({ endToEndId: endToEnd, txid, valor: cents, horario: at }) => [
      { endToEnd, reference: txid ?? null, direction: 'IN', cents, at },
    ],
  }
  /** One of a dispute has no reference: its id is the provider's, not ours. */
  const outgoingReturns: ProviderList<'statement', BacenReceivedPix, StatementEntry[]> = {
    ...receivedPixList,
    ...WITH_RETURNS_FILTER,
    toItem: (pix, notes) =>
      readBacenReturns(bacenListedDevolucaoSchema, pix, notes).returns.flatMap(devolucao =>
        toReturnEntries(devolucao, {
          direction: 'OUT',
          reference: isDisputeDevolucao(devolucao) ? null : (devolucao.id ?? null),
          returnOf: pix.endToEndId,
        }),
      ),
  }
  return { incomingPix, outgoingReturns }
}

/** A list of a statement, which begins `days` before it. */
type StatementList = {
  days: number
  read: (period: ListPeriod) => Promise<ListResult<StatementEntry[]> | NoAnswerResult>
}

type StatementResult = { kind: 'found'; entries: StatementEntry[] } | NoAnswerResult

/** Reads the entries of a statement that are in [from, to], both ISO 8601 UTC: those of `readBacenEntries`. */
export async function readBacenStatement(
  client: Pick<BacenClient, 'basePath' | 'readAllPages'>,
  period: ListPeriod,
  ownLists?: StatementList[],
): Promise<StatementResult> {
  const outcome = await readBacenEntries(client, period, ownLists)
  if (outcome.kind === 'no_answer') return outcome
  const isInPeriod = createPeriodFilter(period.from, period.to)
  return { kind: 'found', entries: outcome.entries.filter(({ at }) => isInPeriod(at)) }
}

/**
 * Reads received PIX, our devoluções of them, and `ownLists` of the profile. A list by the time of an order begins before the period, and so
 * may its entries.
 */
export async function readBacenEntries(
  { basePath, readAllPages }: Pick<BacenClient, 'basePath' | 'readAllPages'>,
  { from, to }: ListPeriod,
  ownLists: StatementList[] = [],
): Promise<StatementResult> {
  const { incomingPix, outgoingReturns } = buildReceivedLists(basePath)
  const entries: StatementEntry[] = []
  for (const { days, read } of [
    { days: 0, read: (period: ListPeriod) => readAllPages(incomingPix, period) },
    { days: RETURN_PERIOD_DAYS, read: (period: ListPeriod) => readAllPages(outgoingReturns, period) },
    ...ownLists,
  ]) {
    const outcome = await read({ from: subtractDays(from, days), to })
    if (outcome.kind === 'no_answer') return outcome
    entries.push(...outcome.items.flat())
  }
  return { kind: 'found', entries }
}

/** Converts a devolução to its entry of the statement if it has settled, else to none. */
export function toReturnEntries(
  devolucao: BacenDevolucao | BacenReceivedDevolucao,
  movement: Pick<StatementEntry, 'direction' | 'reference' | 'returnOf'>,
): StatementEntry[] {
  return mapBacenSettledReturn(devolucao).map(({ endToEnd, cents, at }) => ({
    endToEnd: endToEnd ?? '',
    cents,
    at,
    ...movement,
    ...(devolucao.id ? { returnId: devolucao.id } : {}),
  }))
}
