import type {
  CancelChargeOutcome,
  FindChargeOutcome,
  IssueChargeOutcome,
  NoAnswerResult,
  ProviderChargeRequest,
} from '../../domain/providers/provider.ts'
import { countItems, parseItems } from '../adapter/answer-parsing.ts'
import {
  isDuplicate,
  openAmountUnsupported,
  rejectForThisProvider,
  reportPaymentNotListed,
  toIssueOutcome,
} from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { ChargeCalls } from '../port.ts'
import type { EfiCall } from './answers.ts'
import type { EfiClient } from './client.ts'
import { mapEfiCharge, mapEfiChargeStatus, mapEfiPayment } from './mapping.ts'
import {
  EFI_REMOVAL_REQUEST,
  type EfiCob,
  efiCobRequestSchema,
  efiCobSchema,
  efiReceivedPixSchema,
} from './schemas.ts'

/** Creates the calls about charges (`cob`). The txid is our reference, so issuing twice makes one charge. */
export function createEfiCharges(client: EfiClient, now: () => number): ChargeCalls {
  return {
    async issueCharge(order) {
      if (order.totalCents === 0) return openAmountUnsupported
      if (order.collectionKey === null) return collectionKeyMissing
      const call = buildCall('issueCharge', order.reference)
      const request = { ...call, method: 'PUT', json: buildCob(order) } as const
      const outcome = await client.send(request, efiCobSchema, cob => toIssuedCharge(order, cob))
      if (!mayAlreadyExist(outcome)) return outcome
      const lookUp = buildCall('findCharge', order.reference)
      const existing = await client.lookUp(lookUp, efiCobSchema, cob => ({
        charge: toIssuedCharge(order, cob)?.charge,
      }))
      return toIssueOutcome(existing, outcome)
    },
    findCharge,
    cancelCharge,
  }

  async function findCharge(reference: string): Promise<FindChargeOutcome> {
    const outcome = await client.lookUp(buildCall('findCharge', reference), efiCobSchema, (cob, notes) => {
      if (cob.txid !== reference) return undefined
      const status = mapEfiChargeStatus(cob, now())
      const payments = parseItems(efiReceivedPixSchema, cob.pix, notes)
      // An unreadable payment of a charge that is not completed may be the payment of the charge.
      if (status !== 'completed' && payments.length < countItems(cob.pix)) return undefined
      return {
        status,
        charge: mapEfiCharge(cob),
        payments: payments.map(pix => mapEfiPayment(pix, cob.chave)),
      }
    })
    const isPaymentMissing =
      outcome.kind === 'found' && outcome.status === 'completed' && outcome.payments.length === 0
    return isPaymentMissing ? reportPaymentNotListed('Efí') : outcome
  }

  async function cancelCharge(reference: string): Promise<CancelChargeOutcome> {
    const call = buildCall('cancelCharge', reference)
    const request = { ...call, method: 'PATCH', json: EFI_REMOVAL_REQUEST } as const
    const outcome = await client.lookUp(request, efiCobSchema, cob =>
      mapEfiChargeStatus(cob, now()) === 'removed' ? {} : undefined,
    )
    if (outcome.kind === 'found') return { kind: 'cancelled' }
    return outcome.kind === 'no_answer' && outcome.code === 'charge_refused'
      ? resolveCancelRefusal(reference, outcome)
      : outcome
  }

  /** Looks up a charge whose removal Efí refused because it is closed: `cancelled` if it was removed already. */
  async function resolveCancelRefusal(
    reference: string,
    refusal: NoAnswerResult,
  ): Promise<CancelChargeOutcome> {
    const outcome = await findCharge(reference)
    if (outcome.kind === 'no_answer') return { ...outcome, isUnprocessed: true }
    if (outcome.kind === 'not_found') return outcome
    return outcome.status === 'removed' ? { kind: 'cancelled' } : { ...refusal, kind: 'refused' }
  }

  /** Converts a charge that has the order's id and amount and can be paid; undefined for any other. */
  function toIssuedCharge(order: ProviderChargeRequest, cob: EfiCob) {
    const isOrdered =
      cob.txid === order.reference &&
      cob.valor.original === order.totalCents &&
      mapEfiChargeStatus(cob, now()) === 'open'
    return isOrdered ? { charge: mapEfiCharge(cob) } : undefined
  }
}

function buildCall<Name extends EfiCall>(call: Name, reference: string) {
  return { call, reference, path: encodePath`/v2/cob/${reference}` }
}

function buildCob(order: ProviderChargeRequest) {
  return efiCobRequestSchema.parse({
    calendario: { expiracao: order.expiresInSeconds },
    valor: { original: order.totalCents },
    chave: order.collectionKey,
    solicitacaoPagador: order.message?.slice(0, 140),
  })
}

const collectionKeyMissing = rejectForThisProvider(
  'collection_key_missing',
  'The provider needs the PIX key that receives the payment',
)

/** Tells whether a charge with our txid may exist: Efí answers 409, or CobOperacaoInvalida among other causes. */
function mayAlreadyExist(outcome: IssueChargeOutcome): boolean {
  return isDuplicate(outcome) || (outcome.kind === 'rejected' && outcome.code === 'charge_refused')
}
