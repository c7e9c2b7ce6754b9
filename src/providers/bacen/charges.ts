import type {
  CancelChargeOutcome,
  ChargeDebtor,
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
import type { BacenCall, BacenClient } from './client.ts'
import { computeBacenExpiry, mapBacenCharge, mapBacenChargeStatus, mapBacenPayment } from './mapping.ts'
import {
  BACEN_REMOVAL_REQUEST,
  type BacenCob,
  bacenCobRequestSchema,
  bacenCobSchema,
  bacenLocationCodeSchema,
  bacenReceivedPixSchema,
  isWithoutMoney,
} from './schemas.ts'

/** Creates the calls about charges (`cob`). The txid is our reference, so issuing twice makes one charge. */
export function createBacenCharges(client: BacenClient, now: () => number): ChargeCalls {
  const { bank, basePath } = client
  return {
    async issueCharge(order) {
      if (order.totalCents === 0) return openAmountUnsupported
      if (order.collectionKey === null) return collectionKeyMissing
      const call = buildCall('issueCharge', order.reference)
      const request = { ...call, method: 'PUT', json: buildCob(order) } as const
      const orderedAtMs = now()
      // Its own clock does not count: Efí has labelled the local time of a creation as UTC, three hours behind.
      const outcome = await client.send(request, bacenCobSchema, cob =>
        isOrdered(order, cob) && cob.status === 'ATIVA'
          ? { charge: { ...mapBacenCharge(cob), expiresAt: computeBacenExpiry(cob, orderedAtMs) }, cob }
          : undefined,
      )
      if (outcome.kind === 'accepted') return addPayload(outcome)
      if (!mayAlreadyExist(outcome)) return outcome
      const lookUp = buildCall('findCharge', order.reference)
      const existingCharge = await client.lookUp(lookUp, bacenCobSchema, cob => ({
        charge: isOrdered(order, cob) && isOpen(cob) ? mapBacenCharge(cob) : undefined,
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
    const outcome = await client.lookUp(buildCall('findCharge', reference), bacenCobSchema, (cob, notes) => {
      if (cob.txid !== reference) return undefined
      const { items: payments, unreadableItems } = parsePage(buildPaymentSchema(reference), cob.pix, notes)
      // An unreadable payment may be the payment of the charge: without it the charge has not ended.
      const hasUnknownPayment = unreadableItems.some(item => !isWithoutMoney(item))
      const status = mapBacenChargeStatus(cob, now())
      return {
        status: hasUnknownPayment && status !== 'completed' ? 'open' : status,
        charge: mapBacenCharge(cob),
        payments: payments.map(pix => mapBacenPayment(pix, cob.chave)),
      }
    })
    const isPaymentMissing =
      outcome.kind === 'found' && outcome.status === 'completed' && outcome.payments.length === 0
    return isPaymentMissing ? reportPaymentNotListed(bank) : outcome
  }

  async function cancelCharge(reference: string): Promise<CancelChargeOutcome> {
    const call = buildCall('cancelCharge', reference)
    const request = { ...call, method: 'PATCH', json: BACEN_REMOVAL_REQUEST } as const
    const outcome = await client.lookUp(request, bacenCobSchema, cob =>
      mapBacenChargeStatus(cob, now()) === 'removed' ? {} : undefined,
    )
    if (outcome.kind === 'found') return { kind: 'cancelled' }
    return outcome.kind === 'no_answer' && outcome.code === 'charge_refused'
      ? resolveCancelRefusal(reference, outcome)
      : outcome
  }

  /** Looks up a charge whose removal the provider refused because it is closed: `cancelled` if it was removed already. */
  async function resolveCancelRefusal(
    reference: string,
    refusal: NoAnswerResult,
  ): Promise<CancelChargeOutcome> {
    const outcome = await findCharge(reference)
    if (outcome.kind === 'no_answer') return { ...outcome, isUnprocessed: true }
    if (outcome.kind === 'not_found') return outcome
    return outcome.status === 'removed' ? { kind: 'cancelled' } : { ...refusal, kind: 'refused' }
  }

  function buildCall<Name extends BacenCall>(call: Name, reference: string) {
    return { call, reference, path: basePath + encodePath`/cob/${reference}` }
  }

  function isOpen(cob: BacenCob): boolean {
    return mapBacenChargeStatus(cob, now()) === 'open'
  }

  /** Adds the payload of an issued charge, read from its location if the charge has none. */
  async function addPayload({ charge, cob }: { charge: IssuedCharge; cob: BacenCob }) {
    if (charge.payload) return { kind: 'accepted', charge } as const
    if (!cob.loc || !client.hasLocationCodes) return payloadMissing
    const path = basePath + encodePath`/loc/${String(cob.loc.id)}/qrcode`
    const call = { call: 'findPayload', reference: cob.txid, path } as const
    const code = await client.lookUpExisting(call, bacenLocationCodeSchema, ({ qrcode }) => ({ qrcode }))
    if (code.kind === 'no_answer') return { ...payloadMissing, message: code.message }
    return { kind: 'accepted', charge: { ...charge, payload: code.qrcode } } as const
  }
}

/** Builds the schema of a payment in the list of its charge: one that names another charge is unreadable. */
function buildPaymentSchema(reference: string) {
  return bacenReceivedPixSchema.refine(
    pix => (pix.txid || reference) === reference,
    'payment of another charge',
  )
}

function isOrdered(order: ProviderChargeRequest, cob: BacenCob): boolean {
  return cob.txid === order.reference && cob.valor.original === order.totalCents
}

/** The charge exists and may be payable, but its code is unknown. */
const payloadMissing = {
  kind: 'unknown',
  code: 'payload_missing',
  message: 'The provider issued the charge without its payload',
} as const

function buildCob(order: ProviderChargeRequest) {
  return bacenCobRequestSchema.parse({
    calendario: { expiracao: order.expiresInSeconds },
    valor: { original: order.totalCents },
    chave: order.collectionKey,
    solicitacaoPagador: order.message?.slice(0, 140),
    ...(order.debtor && hasNumericDocument(order.debtor) && { devedor: toDevedor(order.debtor) }),
  })
}

/** SDK 2.0.1, PixCobDevedorSchema: "somente números". A debtor with letters in the CNPJ is left out, as the field locks nothing. */
function hasNumericDocument({ document }: ChargeDebtor): boolean {
  return /^\d+$/.test(document)
}

/** Shows the debtor to the payer; it locks nothing (pix-api, `devedor`). Efí's schema has no e-mail of it. */
function toDevedor({ name: nome, document }: ChargeDebtor) {
  return document.length === 11 ? { cpf: document, nome } : { cnpj: document, nome }
}

const collectionKeyMissing = rejectForThisProvider(
  'collection_key_missing',
  'The provider needs the PIX key that receives the payment',
)

/** Tells whether a charge with our txid may exist: Efí answers 409, every provider CobOperacaoInvalida among other causes. */
function mayAlreadyExist(outcome: IssueChargeOutcome): boolean {
  return isDuplicate(outcome) || (outcome.kind === 'rejected' && outcome.code === 'charge_refused')
}
