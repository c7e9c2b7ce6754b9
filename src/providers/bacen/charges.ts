import type {
  CancelChargeOutcome,
  FindChargeOutcome,
  FoundCharge,
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
import { SCOPE_DENIED } from './access-token.ts'
import type { ChargeKindProfile, ShownCharge } from './charge-kind.ts'
import type { BacenClient } from './client.ts'
import { DUE_CHARGES, reviseDueCharge } from './due-charges.ts'
import { IMMEDIATE_CHARGES } from './immediate-charges.ts'
import { mapBacenPayment } from './mapping.ts'
import {
  BACEN_REMOVAL_REQUEST,
  bacenLocationCodeSchema,
  bacenReceivedPixSchema,
  isWithoutMoney,
} from './schemas.ts'

/** Creates the calls about charges. The txid is our reference, so issuing twice makes one charge. */
export function createBacenCharges(client: BacenClient, now: () => number): ChargeCalls {
  const immediate = createCalls(client, now, IMMEDIATE_CHARGES)
  const due = createCalls(client, now, DUE_CHARGES)
  return {
    issueCharge: order => (order.due ? due : immediate).issueCharge(order),
    findCharge: (reference, kind) => (kind?.isDue ? due : immediate).findCharge(reference),
    cancelCharge: (reference, kind) => (kind?.isDue ? due : immediate).cancelCharge(reference),
    async reviseCharge(revision) {
      const outcome = await reviseDueCharge(client, revision)
      if (outcome.kind !== 'revised') return outcome
      const issued = await addPayload(client, outcome)
      return issued.kind === 'accepted'
        ? { kind: 'revised', charge: issued.charge }
        : { ...issued, kind: 'no_answer' }
    },
  }
}

function createCalls<Shown extends ShownCharge>(
  client: BacenClient,
  now: () => number,
  profile: ChargeKindProfile<Shown>,
) {
  const { bank, basePath } = client
  return {
    async issueCharge(order: ProviderChargeRequest): Promise<IssueChargeOutcome> {
      if (order.totalCents === 0) return openAmountUnsupported
      if (order.collectionKey === null) return collectionKeyMissing
      const body = profile.buildRequest(order)
      if (body.kind === 'rejected') return body
      const call = buildCall('issue', order.reference)
      const request = { ...call, method: 'PUT', json: body.json } as const
      const orderedAtMs = now()
      // Its own clock does not count: Efí has labelled the local time of a creation as UTC, three hours behind.
      const outcome = await client.send(request, profile.schema, shown =>
        isOrdered(order, shown) && shown.status === 'ATIVA'
          ? {
              charge: {
                ...profile.mapCharge(shown),
                expiresAt: profile.computeExpiry(shown, orderedAtMs),
              },
              shown,
            }
          : undefined,
      )
      if (outcome.kind === 'accepted') return addPayload(client, outcome)
      if (outcome.kind === 'unreachable' && outcome.code === SCOPE_DENIED)
        return rejectForThisProvider(SCOPE_DENIED, outcome.message)
      if (!mayAlreadyExist(outcome)) return outcome
      const lookUp = buildCall('find', order.reference)
      const existingCharge = await client.lookUp(lookUp, profile.schema, shown => ({
        charge: isOrdered(order, shown) && mapStatus(shown) === 'open' ? profile.mapCharge(shown) : undefined,
        shown,
      }))
      if (existingCharge.kind !== 'found') return toIssueOutcome(existingCharge, outcome)
      const { charge, shown } = existingCharge
      return charge ? addPayload(client, { charge, shown }) : toIssueOutcome({ kind: 'found' }, outcome)
    },
    findCharge,
    cancelCharge,
  }

  async function findCharge(reference: string): Promise<FindChargeOutcome> {
    const outcome = await client.lookUp(buildCall('find', reference), profile.schema, (shown, notes) => {
      if (shown.txid !== reference) return undefined
      const { items: payments, unreadableItems } = parsePage(buildPaymentSchema(reference), shown.pix, notes)
      // An unreadable payment may be the payment of the charge: without it the charge has not ended.
      const hasUnknownPayment = unreadableItems.some(item => !isWithoutMoney(item))
      const status = mapStatus(shown)
      return {
        status: hasUnknownPayment && status !== 'completed' ? 'open' : status,
        charge: profile.mapCharge(shown),
        payments: payments.map(pix => mapBacenPayment(pix, { key: shown.chave, isDue: profile.isDue })),
      }
    })
    const isPaymentMissing =
      outcome.kind === 'found' && outcome.status === 'completed' && outcome.payments.length === 0
    return isPaymentMissing ? reportPaymentNotListed(bank) : outcome
  }

  async function cancelCharge(reference: string): Promise<CancelChargeOutcome> {
    const call = buildCall('cancel', reference)
    const request = { ...call, method: 'PATCH', json: BACEN_REMOVAL_REQUEST } as const
    const outcome = await client.lookUp(request, profile.schema, shown =>
      mapStatus(shown) === 'removed' ? {} : undefined,
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

  function buildCall(call: keyof typeof profile.calls, reference: string) {
    const path = `${basePath}/${profile.path}${encodePath`/${reference}`}`
    return { call: profile.calls[call], reference, path }
  }

  function isOrdered(order: ProviderChargeRequest, shown: Shown): boolean {
    return shown.txid === order.reference && profile.isOrdered(order, shown)
  }

  function mapStatus(shown: Shown): FoundCharge['status'] {
    switch (shown.status) {
      case 'ATIVA':
        return profile.getActiveStatus(shown, now())
      case 'CONCLUIDA':
        return 'completed'
      case 'REMOVIDA_PELO_USUARIO_RECEBEDOR':
      case 'REMOVIDA_PELO_PSP':
        return 'removed'
    }
  }
}

/** Adds the payload of an issued charge, read from its location if the charge has none. */
async function addPayload(
  client: BacenClient,
  { charge, shown }: { charge: IssuedCharge; shown: Pick<ShownCharge, 'txid' | 'loc'> },
) {
  if (charge.payload) return { kind: 'accepted', charge } as const
  if (!shown.loc || !client.hasLocationCodes) return payloadMissing
  const path = client.basePath + encodePath`/loc/${String(shown.loc.id)}/qrcode`
  const call = { call: 'findPayload', reference: shown.txid, path } as const
  const code = await client.lookUpExisting(call, bacenLocationCodeSchema, ({ qrcode }) => ({ qrcode }))
  if (code.kind === 'no_answer') return { ...payloadMissing, message: code.message }
  return { kind: 'accepted', charge: { ...charge, payload: code.qrcode } } as const
}

/** Builds the schema of a payment in the list of its charge: one that names another charge is unreadable. */
function buildPaymentSchema(reference: string) {
  return bacenReceivedPixSchema.refine(
    pix => (pix.txid || reference) === reference,
    'payment of another charge',
  )
}

/** The charge exists and may be payable, but its code is unknown. */
const payloadMissing = {
  kind: 'unknown',
  code: 'payload_missing',
  message: 'The provider issued the charge without its payload',
} as const

const collectionKeyMissing = rejectForThisProvider(
  'collection_key_missing',
  'The provider needs the PIX key that receives the payment',
)

/** Tells whether a charge with our txid may exist: Efí answers 409, every provider the refusal of a charge among other causes. */
function mayAlreadyExist(outcome: IssueChargeOutcome): boolean {
  return isDuplicate(outcome) || (outcome.kind === 'rejected' && outcome.code === 'charge_refused')
}
