import type { StatementEntry } from '../../domain/providers/provider.ts'
import { parseItems } from '../adapter/answer-parsing.ts'
import {
  createPeriodFilter,
  MAX_SETTLEMENT_DELAY_DAYS,
  RETURN_PERIOD_DAYS,
  subtractDays,
} from '../adapter/statement-period.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { getEfiTime, mapEfiSettledReturn } from './mapping.ts'
import { createEfiPagination, type EfiList } from './pagination.ts'
import {
  type EfiDevolucao,
  type EfiReceivedDevolucao,
  type EfiReceivedPix,
  type EfiSentPix,
  efiDevolucaoSchema,
  efiReceivedDevolucaoSchema,
  efiReceivedPixSchema,
  efiSentPixSchema,
  isDisputeDevolucao,
} from './schemas.ts'

/**
 * Efí has no statement by settlement: it lists received PIX by their own time and sent ones by when they were asked for,
 * each with the returns on it. What settles later than that is listed from further back: a sent PIX by days, a return,
 * which may settle long after its PIX, by months.
 */
export function createEfiStatement(client: EfiClient): Pick<Provider, 'statement'> {
  const { readAllPages } = createEfiPagination(client)
  return {
    async statement(from, to) {
      const entries: StatementEntry[] = []
      const since = (days: number) => ({ from: subtractDays(from, days), to })
      for (const list of [
        () => readAllPages(incomingPixEntries, since(0)),
        () => readAllPages(outgoingReturnEntries, since(RETURN_PERIOD_DAYS)),
        () => readAllPages(outgoingPixEntries, since(MAX_SETTLEMENT_DELAY_DAYS)),
        () => readAllPages(incomingReturnEntries, since(RETURN_PERIOD_DAYS)),
      ]) {
        const listed = await list()
        if (listed.kind === 'no_answer') return listed
        entries.push(...listed.items.flat())
      }
      const isInPeriod = createPeriodFilter(from, to)
      return { kind: 'found', entries: entries.filter(({ at }) => isInPeriod(at)) }
    },
  }
}

type StatementEntries = StatementEntry[]

const receivedPixList = {
  ...{ call: 'statement' as const, path: '/v2/pix', field: 'pix', row: efiReceivedPixSchema },
  keyOf: ({ endToEndId }: EfiReceivedPix) => endToEndId,
}
const sentPixList = {
  ...{ call: 'statement' as const, path: '/v2/gn/pix/enviados', field: 'pix', row: efiSentPixSchema },
  keyOf: ({ endToEndId }: EfiSentPix) => endToEndId,
}
const withReturnsFilter = { filter: { devolucaoPresente: 'true' } }

const incomingPixEntries: EfiList<EfiReceivedPix, StatementEntries> = {
  ...receivedPixList,
  itemOf: ({ endToEndId: endToEnd, txid, valor: cents, horario: at }) => [
    { endToEnd, reference: txid ?? null, direction: 'IN', cents, at },
  ],
}

/** One of a dispute is no order of ours: its id is the provider's. */
const outgoingReturnEntries: EfiList<EfiReceivedPix, StatementEntries> = {
  ...{ ...receivedPixList, ...withReturnsFilter },
  itemOf: ({ endToEndId, devolucoes }, notes) =>
    parseItems(efiDevolucaoSchema, devolucoes, notes).flatMap(one =>
      toReturnEntries(one, {
        direction: 'OUT',
        reference: isDisputeDevolucao(one) ? null : (one.id ?? null),
        returnOf: endToEndId,
      }),
    ),
}

const outgoingPixEntries: EfiList<EfiSentPix, StatementEntries> = {
  ...sentPixList,
  itemOf: ({ endToEndId: endToEnd, idEnvio, status, valor: cents, horario }) => {
    const at = getEfiTime(horario)
    if (status !== 'REALIZADO' || !at) return []
    return [{ endToEnd, reference: idEnvio ?? null, direction: 'OUT', cents, at }]
  },
}

/** A recipient's return carries no id of ours: it is told by the sending that it returns. */
const incomingReturnEntries: EfiList<EfiSentPix, StatementEntries> = {
  ...{ ...sentPixList, ...withReturnsFilter },
  itemOf: ({ endToEndId, idEnvio, devolucoes }, notes) =>
    parseItems(efiReceivedDevolucaoSchema, devolucoes, notes).flatMap(one =>
      toReturnEntries(one, { direction: 'IN', reference: idEnvio ?? null, returnOf: endToEndId }),
    ),
}

function toReturnEntries(
  one: EfiDevolucao | EfiReceivedDevolucao,
  movement: Pick<StatementEntry, 'direction' | 'reference' | 'returnOf'>,
): StatementEntries {
  return mapEfiSettledReturn(one).map(({ endToEnd, cents, at }) => ({
    ...{ endToEnd: endToEnd ?? '', cents, at, ...movement },
    ...(one.id ? { returnId: one.id } : {}),
  }))
}
