import type {
  CancelChargeOutcome,
  FindChargeOutcome,
  IssueChargeOutcome,
  IssuedCharge,
  NoAnswerResult,
  ProviderChargeRequest,
} from '../../domain/providers/provider.ts'
import { parsePage } from '../adapter/answer-parsing.ts'
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
import { computeEfiExpiry, mapEfiCharge, mapEfiChargeStatus, mapEfiPayment } from './mapping.ts'
import {
  EFI_REMOVAL_REQUEST,
  type EfiCob,
  efiCobRequestSchema,
  efiCobSchema,
  efiLocationCodeSchema,
  efiReceivedPixSchema,
  isWithoutMoney,
} from './schemas.ts'

/** Creates the calls about charges (`cob`). The txid is our reference, so issuing twice makes one charge. */
export function createEfiCharges(client: EfiClient, now: () => number): ChargeCalls {
  return {
    async issueCharge(order) {
      if (order.totalCents === 0) return openAmountUnsupported
      if (order.collectionKey === null) return collectionKeyMissing
      const call = buildCall('issueCharge', order.reference)
      const request = { ...call, method: 'PUT', json: buildCob(order) } as const
      const orderedAtMs = now()
      // Its own clock does not count: Efí has labelled the local time of a creation as UTC, three hours behind.
      const outcome = await client.send(request, efiCobSchema, cob =>
        isOrdered(order, cob) && cob.status === 'ATIVA'
          ? { charge: { ...mapEfiCharge(cob), expiresAt: computeEfiExpiry(cob, orderedAtMs) }, cob }
          : undefined,
      )
      if (outcome.kind === 'accepted') return addPayload(outcome)
      if (!mayAlreadyExist(outcome)) return outcome
      const lookUp = buildCall('findCharge', order.reference)
      const existingCharge = await client.lookUp(lookUp, efiCobSchema, cob => ({
        charge: isOrdered(order, cob) && isOpen(cob) ? mapEfiCharge(cob) : undefined,
        cob,
      }))
      if (existingCharge.kind !== 'found') return toIssueOutcome(existingCharge, outcome)
      const { charge, cob } = existingCharge
      return charge ? addPayload({ charge, cob }) : toIssueOutcome({ kind: 'found' }, outcome)
    },
    findCharge,
    cancelCharge,
  }

  async function findCharge(reference: string): Promise<FindChargeOutcome> {
    const outcome = await client.lookUp(buildCall('findCharge', reference), efiCobSchema, (cob, notes) => {
      if (cob.txid !== reference) return undefined
      const { items: payments, unreadableItems } = parsePage(buildPaymentSchema(reference), cob.pix, notes)
      // An unreadable payment may be the payment of the charge: without it the charge has not ended.
      const hasUnknownPayment = unreadableItems.some(item => !isWithoutMoney(item))
      const status = mapEfiChargeStatus(cob, now())
      return {
        status: hasUnknownPayment && status !== 'completed' ? 'open' : status,
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

  function isOpen(cob: EfiCob): boolean {
    return mapEfiChargeStatus(cob, now()) === 'open'
  }

  /** Adds the payload of an issued charge, read from its location if the charge has none. */
  async function addPayload({ charge, cob }: { charge: IssuedCharge; cob: EfiCob }) {
    if (charge.payload) return { kind: 'accepted', charge } as const
    if (!cob.loc) return payloadMissing
    const path = encodePath`/v2/loc/${String(cob.loc.id)}/qrcode`
    const call = { call: 'findPayload', reference: cob.txid, path } as const
    const code = await client.lookUpExisting(call, efiLocationCodeSchema, ({ qrcode }) => ({ qrcode }))
    if (code.kind === 'no_answer') return { ...payloadMissing, message: code.message }
    return { kind: 'accepted', charge: { ...charge, payload: code.qrcode } } as const
  }
}

/** Builds the schema of a payment in the list of its charge: one that names another charge is unreadable. */
function buildPaymentSchema(reference: string) {
  return efiReceivedPixSchema.refine(
    pix => (pix.txid || reference) === reference,
    'payment of another charge',
  )
}

function isOrdered(order: ProviderChargeRequest, cob: EfiCob): boolean {
  return cob.txid === order.reference && cob.valor.original === order.totalCents
}

/** The charge exists and may be payable, but its code is unknown. */
const payloadMissing = {
  kind: 'unknown',
  code: 'payload_missing',
  message: 'Efí issued the charge without its payload',
} as const

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
