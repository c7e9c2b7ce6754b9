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
export function buildReceivedLists(basePath: string) {
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

/** Reads one list of a statement, for a period that may begin before that of the statement. */
type ReadStatementList = (period: ListPeriod) => Promise<ListResult<StatementEntry[]> | NoAnswerResult>

/**
 * Reads the entries of a statement that are in [from, to]: received PIX, our devoluções of them, and `ownLists` of the profile, each
 * of which begins `days` before, because it lists by the time of an order.
 */
export async function readBacenStatement(
  { basePath, readAllPages }: Pick<BacenClient, 'basePath' | 'readAllPages'>,
  { from, to }: ListPeriod,
  ownLists: { days: number; read: ReadStatementList }[] = [],
): Promise<{ kind: 'found'; entries: StatementEntry[] } | NoAnswerResult> {
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
  const isInPeriod = createPeriodFilter(from, to)
  return { kind: 'found', entries: entries.filter(({ at }) => isInPeriod(at)) }
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
