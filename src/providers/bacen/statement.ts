import type { StatementEntry } from '../../domain/providers/provider.ts'
import type { ProviderList } from '../adapter/list-reader.ts'
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
