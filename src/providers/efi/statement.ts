import type { StatementEntry } from '../../domain/providers/provider.ts'
import type { ProviderList } from '../adapter/list-reader.ts'
import { MAX_SETTLEMENT_DELAY_DAYS, RETURN_PERIOD_DAYS } from '../adapter/statement-period.ts'
import { getBacenTime, readBacenReturns } from '../bacen/mapping.ts'
import { bacenReceivedDevolucaoSchema } from '../bacen/schemas.ts'
import { readBacenStatement, toReturnEntries, WITH_RETURNS_FILTER } from '../bacen/statement.ts'
import type { Provider } from '../port.ts'
import type { EfiClient } from './client.ts'
import { type EfiSentPix, efiListedSentPixSchema } from './schemas.ts'

/** Creates the statement call. Efí lists PIX by receipt or request, so its lists start before the period. */
export function createEfiStatement(client: EfiClient): Pick<Provider, 'statement'> {
  const { readAllPages } = client
  return {
    statement: (from, to) =>
      readBacenStatement(client, { from, to }, [
        { days: MAX_SETTLEMENT_DELAY_DAYS, read: period => readAllPages(outgoingPixEntries, period) },
        { days: RETURN_PERIOD_DAYS, read: period => readAllPages(incomingReturnEntries, period) },
      ]),
  }
}

type StatementEntries = StatementEntry[]

const sentPixList = {
  call: 'statement' as const,
  /** Of an account that has sent no PIX in the period ("Consultar lista de Pix enviados"). */
  isEmptyIfNotFound: true as const,
  path: '/v2/gn/pix/enviados',
  field: 'pix',
  row: efiListedSentPixSchema,
  keyOf: ({ endToEndId, idEnvio, ...pix }: EfiSentPix) => endToEndId || idEnvio || JSON.stringify(pix),
}
const outgoingPixEntries: ProviderList<'statement', EfiSentPix, StatementEntries> = {
  ...sentPixList,
  toItem: ({ endToEndId: endToEnd, idEnvio, status, valor: cents, horario }) => {
    const at = getBacenTime(horario)
    if (status !== 'REALIZADO' || !at || !endToEnd) return []
    return [{ endToEnd, reference: idEnvio ?? null, direction: 'OUT', cents, at }]
  },
}

/** Returns of sent PIX by their recipients. They have no id of ours, so the reference is that of the sent PIX. */
const incomingReturnEntries: ProviderList<'statement', EfiSentPix, StatementEntries> = {
  ...sentPixList,
  ...WITH_RETURNS_FILTER,
  toItem: (pix, notes) =>
    readBacenReturns(bacenReceivedDevolucaoSchema, pix, notes).returns.flatMap(devolucao =>
      toReturnEntries(devolucao, {
        direction: 'IN',
        reference: pix.idEnvio ?? null,
        ...(pix.endToEndId && { returnOf: pix.endToEndId }),
      }),
    ),
}
