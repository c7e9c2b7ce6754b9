import type { StatementEntry } from '../../domain/providers/provider.ts'
import type { ProviderList } from '../adapter/list-reader.ts'
import {
  createPeriodFilter,
  MAX_SETTLEMENT_DELAY_DAYS,
  RETURN_PERIOD_DAYS,
  subtractDays,
} from '../adapter/statement-period.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { getEfiTime, mapEfiSettledReturn, readEfiReturns } from './mapping.ts'
import {
  type EfiDevolucao,
  type EfiReceivedDevolucao,
  type EfiReceivedPix,
  type EfiSentPix,
  efiListedDevolucaoSchema,
  efiListedSentPixSchema,
  efiReceivedDevolucaoSchema,
  efiReceivedPixSchema,
  isDisputeDevolucao,
} from './schemas.ts'

/** Creates the statement call. Efí lists PIX by receipt or request, so its lists start before the period. */
export function createEfiStatement(client: EfiClient): Pick<Provider, 'statement'> {
  const { readAllPages } = client
  return {
    async statement(from, to) {
      const entries: StatementEntry[] = []
      const buildPeriod = (days: number) => ({ from: subtractDays(from, days), to })
      for (const readList of [
        () => readAllPages(incomingPixEntries, buildPeriod(0)),
        () => readAllPages(outgoingReturnEntries, buildPeriod(RETURN_PERIOD_DAYS)),
        () => readAllPages(outgoingPixEntries, buildPeriod(MAX_SETTLEMENT_DELAY_DAYS)),
        () => readAllPages(incomingReturnEntries, buildPeriod(RETURN_PERIOD_DAYS)),
      ]) {
        const outcome = await readList()
        if (outcome.kind === 'no_answer') return outcome
        entries.push(...outcome.items.flat())
      }
      const isInPeriod = createPeriodFilter(from, to)
      return { kind: 'found', entries: entries.filter(({ at }) => isInPeriod(at)) }
    },
  }
}

type StatementEntries = StatementEntry[]

const receivedPixList = {
  call: 'statement' as const,
  path: '/v2/pix',
  field: 'pix',
  row: efiReceivedPixSchema,
  keyOf: ({ endToEndId }: EfiReceivedPix) => endToEndId,
}
const sentPixList = {
  call: 'statement' as const,
  /** Of an account that has sent no PIX in the period ("Consultar lista de Pix enviados"). */
  isEmptyIfNotFound: true as const,
  path: '/v2/gn/pix/enviados',
  field: 'pix',
  row: efiListedSentPixSchema,
  keyOf: ({ endToEndId, idEnvio, ...pix }: EfiSentPix) => endToEndId || idEnvio || JSON.stringify(pix),
}
const withReturnsFilter = { filter: { devolucaoPresente: 'true' } }

const incomingPixEntries: ProviderList<'statement', EfiReceivedPix, StatementEntries> = {
  ...receivedPixList,
  toItem: ({ endToEndId: endToEnd, txid, valor: cents, horario: at }) => [
    { endToEnd, reference: txid ?? null, direction: 'IN', cents, at },
  ],
}

/** Returns of received PIX. One of a dispute has no reference: its id is Efí's, not ours. */
const outgoingReturnEntries: ProviderList<'statement', EfiReceivedPix, StatementEntries> = {
  ...receivedPixList,
  ...withReturnsFilter,
  toItem: (pix, notes) =>
    readEfiReturns(efiListedDevolucaoSchema, pix, notes).returns.flatMap(devolucao =>
      toReturnEntries(devolucao, {
        direction: 'OUT',
        reference: isDisputeDevolucao(devolucao) ? null : (devolucao.id ?? null),
        returnOf: pix.endToEndId,
      }),
    ),
}

const outgoingPixEntries: ProviderList<'statement', EfiSentPix, StatementEntries> = {
  ...sentPixList,
  toItem: ({ endToEndId: endToEnd, idEnvio, status, valor: cents, horario }) => {
    const at = getEfiTime(horario)
    if (status !== 'REALIZADO' || !at || !endToEnd) return []
    return [{ endToEnd, reference: idEnvio ?? null, direction: 'OUT', cents, at }]
  },
}

/** Returns of sent PIX by their recipients. They have no id of ours, so the reference is that of the sent PIX. */
const incomingReturnEntries: ProviderList<'statement', EfiSentPix, StatementEntries> = {
  ...sentPixList,
  ...withReturnsFilter,
  toItem: (pix, notes) =>
    readEfiReturns(efiReceivedDevolucaoSchema, pix, notes).returns.flatMap(devolucao =>
      toReturnEntries(devolucao, {
        direction: 'IN',
        reference: pix.idEnvio ?? null,
        ...(pix.endToEndId && { returnOf: pix.endToEndId }),
      }),
    ),
}

function toReturnEntries(
  devolucao: EfiDevolucao | EfiReceivedDevolucao,
  movement: Pick<StatementEntry, 'direction' | 'reference' | 'returnOf'>,
): StatementEntries {
  return mapEfiSettledReturn(devolucao).map(({ endToEnd, cents, at }) => ({
    endToEnd: endToEnd ?? '',
    cents,
    at,
    ...movement,
    ...(devolucao.id ? { returnId: devolucao.id } : {}),
  }))
}
