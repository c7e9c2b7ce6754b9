import type { StatementEntry } from '../../domain/provider.ts'
import { daysBefore, isWithin, LONGEST_ORDER_DAYS, RETURNABLE_DAYS } from '../period.ts'
import type { Provider } from '../port.ts'
import { readItems } from '../reading.ts'
import type { EfiClient } from './client.ts'
import { returnOf, timeOf } from './mapping.ts'
import { type List, pagesOf } from './pages.ts'
import {
  isOfMed,
  type Received,
  type Returned,
  type ReturnedToUs,
  received,
  returned,
  returnedToUs,
  type Sent,
  sent,
} from './shapes.ts'

/**
 * Efí has no statement by settlement: it lists received PIX by their own time and sent ones by when they were asked for,
 * each with the returns on it. What settles later than that is listed from further back: a sent PIX by days, a return,
 * which may settle long after its PIX, by months.
 */
export function statement(client: EfiClient): Pick<Provider, 'statement'> {
  const { everyPage } = pagesOf(client)
  return {
    async statement(from, to) {
      const entries: StatementEntry[] = []
      const since = (days: number) => ({ from: daysBefore(from, days), to })
      for (const list of [
        () => everyPage(arrivals, since(0)),
        () => everyPage(returnsOut, since(RETURNABLE_DAYS)),
        () => everyPage(departures, since(LONGEST_ORDER_DAYS)),
        () => everyPage(returnsIn, since(RETURNABLE_DAYS)),
      ]) {
        const listed = await list()
        if (listed.kind === 'no_answer') return listed
        entries.push(...listed.items.flat())
      }
      const isInPeriod = isWithin(from, to)
      return { kind: 'found', entries: entries.filter(({ at }) => isInPeriod(at)) }
    },
  }
}

type Entries = StatementEntry[]

const receivedPix = {
  ...{ call: 'statement' as const, path: '/v2/pix', field: 'pix', row: received },
  keyOf: ({ endToEndId }: Received) => endToEndId,
}
const sentPix = {
  ...{ call: 'statement' as const, path: '/v2/gn/pix/enviados', field: 'pix', row: sent },
  keyOf: ({ endToEndId }: Sent) => endToEndId,
}
const withReturns = { filter: { devolucaoPresente: 'true' } }

const arrivals: List<Received, Entries> = {
  ...receivedPix,
  itemOf: ({ endToEndId: endToEnd, txid, valor: cents, horario: at }) => [
    { endToEnd, reference: txid ?? null, direction: 'IN', cents, at },
  ],
}

/** One of a dispute is no order of ours: its id is the provider's. */
const returnsOut: List<Received, Entries> = {
  ...{ ...receivedPix, ...withReturns },
  itemOf: ({ endToEndId, devolucoes }, notes) =>
    readItems(returned, devolucoes, notes).flatMap(one =>
      entriesOf(one, {
        direction: 'OUT',
        reference: isOfMed(one) ? null : (one.id ?? null),
        returnOf: endToEndId,
      }),
    ),
}

const departures: List<Sent, Entries> = {
  ...sentPix,
  itemOf: ({ endToEndId: endToEnd, idEnvio, status, valor: cents, horario }) => {
    const at = timeOf(horario)
    if (status !== 'REALIZADO' || !at) return []
    return [{ endToEnd, reference: idEnvio ?? null, direction: 'OUT', cents, at }]
  },
}

/** A recipient's return carries no id of ours: it is told by the sending that it returns. */
const returnsIn: List<Sent, Entries> = {
  ...{ ...sentPix, ...withReturns },
  itemOf: ({ endToEndId, idEnvio, devolucoes }, notes) =>
    readItems(returnedToUs, devolucoes, notes).flatMap(one =>
      entriesOf(one, { direction: 'IN', reference: idEnvio ?? null, returnOf: endToEndId }),
    ),
}

function entriesOf(
  one: Returned | ReturnedToUs,
  movement: Pick<StatementEntry, 'direction' | 'reference' | 'returnOf'>,
): Entries {
  return returnOf(one).map(({ endToEnd, cents, at }) => ({
    ...{ endToEnd: endToEnd ?? '', cents, at, ...movement },
    ...(one.id ? { returnId: one.id } : {}),
  }))
}
