import type { ChargeDebtor, ProviderChargeRequest } from '../../domain/providers/provider.ts'
import { type ChargeKindProfile, mapPayableStatus } from './charge-kind.ts'
import { computeBacenExpiry, mapBacenCharge } from './mapping.ts'
import { BACEN_REMOVAL_REQUEST, type BacenCob, bacenCobRequestSchema, bacenCobSchema } from './schemas.ts'

/** Charges that are to be paid at once (`cob`), which expire after a time. */
export const IMMEDIATE_CHARGES: ChargeKindProfile<BacenCob> = {
  path: 'cob',
  isDue: false,
  needsKey: true,
  calls: { issue: 'issueCharge', find: 'findCharge', cancel: 'cancelCharge' },
  schema: bacenCobSchema,
  cancelRequest: BACEN_REMOVAL_REQUEST,
  buildRequest: order => ({ kind: 'request', json: buildCob(order) }),
  isOrdered: (order, cob) => cob.valor.original === order.totalCents,
  isIssued: (cob, now) => cob.status === 'ATIVA' && (now === null || mapStatus(cob, now) === 'open'),
  mapCharge: cob => mapBacenCharge(cob, getExpiresAt(cob)),
  computeExpiry: computeBacenExpiry,
  mapStatus,
}

function mapStatus(cob: BacenCob, now: number) {
  return mapPayableStatus(cob, () => (Date.parse(getExpiresAt(cob)) <= now ? 'expired' : 'open'))
}

/** Most characters of `solicitacaoPagador`. */
export const MAX_BACEN_MESSAGE_LENGTH = 140

function getExpiresAt(cob: BacenCob): string {
  return computeBacenExpiry(cob, Date.parse(cob.calendario.criacao))
}

function buildCob(order: ProviderChargeRequest) {
  return bacenCobRequestSchema.parse({
    calendario: { expiracao: order.expiresInSeconds },
    valor: { original: order.totalCents },
    chave: order.collectionKey,
    solicitacaoPagador: order.message?.slice(0, MAX_BACEN_MESSAGE_LENGTH),
    ...writeAdditionalInfo(order),
    ...(order.debtor && hasNumericDocument(order.debtor) && { devedor: toDevedor(order.debtor) }),
  })
}

/** SDK 2.0.1, PixCobDevedorSchema: "somente números". A debtor with letters in the CNPJ is left out, as the field locks nothing. */
export function hasNumericDocument({ document }: ChargeDebtor): boolean {
  return /^\d+$/.test(document)
}

/** Shows the debtor to the payer; it locks nothing (pix-api, `devedor`). Efí's schema has no e-mail of it. */
export function toDevedor({ name: nome, document }: ChargeDebtor) {
  return document.length === 11 ? { cpf: document, nome } : { cnpj: document, nome }
}

/** Writes what the payer is shown besides; names and values have a limit each. */
export function writeAdditionalInfo({ additionalInfo }: Pick<ProviderChargeRequest, 'additionalInfo'>) {
  if (!additionalInfo?.length) return {}
  const infoAdicionais = additionalInfo.map(({ name, value }) => ({
    nome: name.slice(0, 50),
    valor: value.slice(0, 200),
  }))
  return { infoAdicionais }
}
