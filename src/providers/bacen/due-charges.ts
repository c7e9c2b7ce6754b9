import { findDueExpiry } from '../../domain/charges/due-payment.ts'
import type { DueTerms } from '../../domain/charges/due-terms.ts'
import type {
  ChargeDebtor,
  IssuedCharge,
  ProviderRevision,
  RejectedResult,
  ReviseChargeOutcome,
} from '../../domain/providers/provider.ts'
import { MINUTE } from '../../domain/shared/intervals.ts'
import { rejectForThisProvider } from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import { type ChargeKindProfile, mapPayableStatus } from './charge-kind.ts'
import type { BacenClient } from './client.ts'
import {
  listDifferentMembers,
  readDueMembers,
  type WrittenMembers,
  writeDueMembers,
  writeRemovedMembers,
} from './due-modalities.ts'
import {
  type BacenCobv,
  bacenCobvRequestSchema,
  bacenCobvRevisionSchema,
  bacenCobvSchema,
} from './due-schemas.ts'
import {
  hasNumericDocument,
  MAX_BACEN_MESSAGE_LENGTH,
  toDevedor,
  writeAdditionalInfo,
} from './immediate-charges.ts'
import { mapBacenCharge } from './mapping.ts'
import { BACEN_REMOVAL_REQUEST } from './schemas.ts'

/**
 * Charges with a due date (`cobv`). The API has no status of those that can no longer be paid: that is computed by the national calendar.
 */
export const DUE_CHARGES: ChargeKindProfile<BacenCobv> = {
  path: 'cobv',
  isDue: true,
  needsKey: true,
  calls: { issue: 'issueDueCharge', find: 'findDueCharge', cancel: 'cancelDueCharge' },
  schema: bacenCobvSchema,
  cancelRequest: BACEN_REMOVAL_REQUEST,
  buildRequest({ due, debtor, ...order }) {
    if (!due) throw new Error('a charge with a due date has none')
    if (!debtor) return debtorMissing
    if (!hasNumericDocument(debtor)) return debtorUnsupported
    const members = writeDueMembers(due)
    if (!members) return termsUnsupported
    const json = bacenCobvRequestSchema.parse({
      calendario: writeCalendar(due),
      devedor: { ...toDevedor(debtor), ...writeAddress(debtor) },
      valor: { original: order.totalCents, ...members },
      chave: order.collectionKey,
      solicitacaoPagador: order.message?.slice(0, MAX_BACEN_MESSAGE_LENGTH),
      ...writeAdditionalInfo(order),
    })
    return { kind: 'request', json }
  },
  /** What the provider leaves out contradicts nothing: its schemas require no member of `valor`. */
  isOrdered({ totalCents, due, debtor }, cobv) {
    if (!due || cobv.valor.original !== totalCents || !hasCalendar(cobv, due)) return false
    const document = cobv.devedor?.cpf ?? cobv.devedor?.cnpj
    if (document && debtor && document !== debtor.document) return false
    const shown = readDueMembers(cobv.valor)
    return listDifferentMembers(due, shown).every(member => shown[member] === null)
  },
  isIssued: (cobv, now) => cobv.status === 'ATIVA' && (now === null || mapStatus(cobv, now) === 'open'),
  mapCharge: mapOrderedCharge,
  computeExpiry: computeEnd,
  mapStatus,
}

/** A PIX that its payer ordered in the last second settles after the end of the day. */
function mapStatus(cobv: BacenCobv, now: number) {
  return mapPayableStatus(cobv, () => (Date.parse(computeEnd(cobv)) + MINUTE <= now ? 'expired' : 'open'))
}

/**
 * Changes a charge with a due date. It is looked up first, and changed only where it asks for something else: a revision whose answer
 * was lost is not applied twice, and a member that the new terms no longer have is replaced by nothing.
 */
export async function reviseDueCharge(
  client: BacenClient,
  revision: ProviderRevision,
): Promise<
  | { kind: 'revised'; charge: IssuedCharge; shown: BacenCobv }
  | Exclude<ReviseChargeOutcome, { kind: 'revised' }>
> {
  const { reference } = revision
  const path = client.basePath + encodePath`/cobv/${reference}`
  const lookUp = { call: 'findDueCharge', reference, path } as const
  const current = await client.lookUp(lookUp, bacenCobvSchema, shown =>
    shown.txid === reference ? { shown } : undefined,
  )
  if (current.kind !== 'found') return current
  const { shown } = current
  if (shown.status !== 'ATIVA') return chargeNotActive
  const terms = revision.due ?? readTerms(shown)
  if (terms && isRevised({ ...revision, due: terms }, shown))
    return { kind: 'revised', charge: mapDueCharge(shown), shown }
  const members = terms && writeDueMembers(terms)
  if (!members) return { ...termsUnsupported, kind: 'refused' }
  const json = buildRevision(revision, { ...writeRemovedMembers(shown.valor, members), ...members }, shown)
  const call = { call: 'reviseCharge', method: 'PATCH', reference, path, json } as const
  const outcome = await client.lookUp(call, bacenCobvSchema, revised =>
    revised.txid === reference &&
    revised.status === 'ATIVA' &&
    isRevised({ ...revision, due: terms, message: getShownMessage(revision, revised) }, revised)
      ? { charge: mapDueCharge(revised), shown: revised }
      : undefined,
  )
  if (outcome.kind === 'found') return { ...outcome, kind: 'revised' }
  return outcome.kind === 'no_answer' && outcome.code === 'charge_refused'
    ? { kind: 'refused', code: outcome.code, message: outcome.message }
    : outcome
}

/** Gets the message that the answer to a revision is to show: no message, where the provider leaves it out. */
function getShownMessage(
  { message }: ProviderRevision,
  { solicitacaoPagador }: BacenCobv,
): string | undefined {
  return solicitacaoPagador == null ? undefined : message
}

/** Tells whether a charge asks for everything that a revision says; what the provider leaves out does not. */
function isRevised(
  {
    totalCents,
    due,
    message,
  }: Omit<ProviderRevision, 'message'> & { due: DueTerms; message?: string | undefined },
  cobv: BacenCobv,
): boolean {
  if (totalCents !== undefined && cobv.valor.original !== totalCents) return false
  if (message !== undefined && cobv.solicitacaoPagador !== message.slice(0, MAX_BACEN_MESSAGE_LENGTH))
    return false
  return hasCalendar(cobv, due) && listDifferentMembers(due, readDueMembers(cobv.valor)).length === 0
}

/**
 * Builds the body of a revision. `valor` is complete, because no document says whether it replaces the former one or is merged into it.
 */
function buildRevision(
  { totalCents, due, message }: ProviderRevision,
  members: WrittenMembers,
  shown: BacenCobv,
) {
  return bacenCobvRevisionSchema.parse({
    ...(due && { calendario: writeCalendar(due) }),
    valor: { original: totalCents ?? shown.valor.original, ...members },
    ...(message !== undefined && { solicitacaoPagador: message.slice(0, MAX_BACEN_MESSAGE_LENGTH) }),
  })
}

/** Reads the terms of a charge; undefined where it has a member that the table of modalities does not have. */
function readTerms({ calendario, valor }: BacenCobv): DueTerms | undefined {
  const { fine, interest, abatement, discount } = readDueMembers(valor)
  if (fine === undefined || interest === undefined || abatement === undefined || discount === undefined)
    return undefined
  const { dataDeVencimento: on, validadeAposVencimento: payableDaysAfter } = calendario
  return { on, payableDaysAfter, fine, interest, abatement, discount }
}

function writeCalendar({ on, payableDaysAfter }: DueTerms) {
  return { dataDeVencimento: on, validadeAposVencimento: payableDaysAfter }
}

function hasCalendar({ calendario }: BacenCobv, { on, payableDaysAfter }: DueTerms): boolean {
  return calendario.dataDeVencimento === on && calendario.validadeAposVencimento === payableDaysAfter
}

/** Writes the address of a debtor; the API has one line for street, number, complement and neighborhood. */
function writeAddress({ address }: ChargeDebtor) {
  if (!address) return {}
  const { street, number, complement, neighborhood, city: cidade, state: uf, zipCode: cep } = address
  const logradouro = [street, number, complement, neighborhood].filter(Boolean).join(', ').slice(0, 200)
  return { logradouro, cidade: cidade.slice(0, 200), uf, cep }
}

/** Maps a charge as it was ordered. One that was changed has no amount of its order: what exceeds the ordered value is no fee. */
function mapOrderedCharge(cobv: BacenCobv): IssuedCharge {
  const { totalCents, ...charge } = mapDueCharge(cobv)
  return cobv.revisao || totalCents === undefined ? charge : { ...charge, totalCents }
}

function mapDueCharge(cobv: BacenCobv): IssuedCharge {
  return mapBacenCharge(cobv, computeEnd(cobv))
}

/** Computes the end of the last day on which a charge can be paid, in Brasília, ISO 8601 UTC. */
function computeEnd({ calendario }: BacenCobv): string {
  const { dataDeVencimento: on, validadeAposVencimento: payableDaysAfter } = calendario
  return findDueExpiry({ on, payableDaysAfter }).toISOString()
}

const debtorMissing = rejectForThisProvider(
  'debtor_missing',
  'The provider issues a charge with a due date only to a debtor with name and document',
)
export const debtorUnsupported = rejectForThisProvider(
  'debtor_unsupported',
  'The provider takes no document with letters',
)
const termsUnsupported: RejectedResult = rejectForThisProvider(
  'due_terms_unsupported',
  'The provider has no modality for the terms of the charge',
)
export const chargeNotActive = {
  kind: 'refused',
  code: 'charge_refused',
  message: 'The charge is not active at the provider any more',
} as const
