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
import type { createProviderCalls } from '../adapter/provider-calls.ts'
import { encodePath } from '../http/client.ts'
import type { ChargeCalls } from '../port.ts'
import { SCOPE_DENIED } from './access-token.ts'
import type { ChargeKindProfile, ShownCharge } from './charge-kind.ts'
import type { BacenClient } from './client.ts'
import { mapBacenPayment } from './mapping.ts'
import { bacenReceivedPixSchema, isWithoutMoney } from './schemas.ts'

/** The calls about one kind of charge. */
export type ChargeKindCalls = Pick<ChargeCalls, 'issueCharge' | 'cancelCharge'> & {
  findCharge(reference: string): Promise<FindChargeOutcome>
  cancelCharge(reference: string): Promise<CancelChargeOutcome>
}

type KindClient<Call extends string> = Pick<ReturnType<typeof createProviderCalls<Call>>, 'send' | 'lookUp'> &
  Pick<BacenClient, 'bank' | 'basePath'>

/**
 * Creates the calls about one kind of charge. The txid is our reference, so issuing twice makes one charge. `complete` makes the outcome of
 * an issued charge.
 */
export function createChargeKindCalls<Shown extends ShownCharge, Call extends string>(
  client: KindClient<Call>,
  now: () => number,
  profile: ChargeKindProfile<Shown, Call>,
  complete: (issued: { charge: IssuedCharge; shown: Shown }) => Promise<IssueChargeOutcome>,
): ChargeKindCalls {
  const { bank, basePath } = client
  return {
    async issueCharge(order) {
      if (order.totalCents === 0) return openAmountUnsupported
      if (profile.needsKey && order.collectionKey === null) return collectionKeyMissing
      const body = profile.buildRequest(order)
      if (body.kind === 'rejected') return body
      const call = buildCall('issue', order.reference)
      const request = { ...call, method: 'PUT', json: body.json } as const
      const orderedAtMs = now()
      // Its own clock does not count: Efí has labelled the local time of a creation as UTC, three hours behind.
      const outcome = await client.send(request, profile.schema, shown =>
        isOrdered(order, shown) && profile.isIssued(shown, null)
          ? {
              charge: {
                ...profile.mapCharge(shown),
                expiresAt: profile.computeExpiry(shown, orderedAtMs),
              },
              shown,
            }
          : undefined,
      )
      if (outcome.kind === 'accepted') return complete(outcome)
      if (outcome.kind === 'unreachable' && outcome.code === SCOPE_DENIED)
        return rejectForThisProvider(SCOPE_DENIED, outcome.message)
      if (!mayAlreadyExist(outcome)) return outcome
      const lookUp = buildCall('find', order.reference)
      const existingCharge = await client.lookUp(lookUp, profile.schema, shown => ({
        charge:
          isOrdered(order, shown) && profile.isIssued(shown, now()) ? profile.mapCharge(shown) : undefined,
        shown,
      }))
      if (existingCharge.kind !== 'found') return toIssueOutcome(existingCharge, outcome)
      const { charge, shown } = existingCharge
      return charge ? complete({ charge, shown }) : toIssueOutcome({ kind: 'found' }, outcome)
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
      const status = profile.mapStatus(shown, now())
      return {
        status: hasUnknownPayment && status !== 'completed' ? ('open' as const) : status,
        charge: profile.mapCharge(shown),
        payments: payments.map(pix => mapBacenPayment(pix, { key: shown.chave, isDue: profile.isDue })),
        ...profile.mapDebit?.(shown, notes),
      }
    })
    const isPaymentMissing =
      outcome.kind === 'found' && outcome.status === 'completed' && outcome.payments.length === 0
    return isPaymentMissing ? reportPaymentNotListed(bank) : outcome
  }

  async function cancelCharge(reference: string): Promise<CancelChargeOutcome> {
    const call = buildCall('cancel', reference)
    const request = { ...call, method: 'PATCH', json: profile.cancelRequest } as const
    const outcome = await client.lookUp(request, profile.schema, shown =>
      profile.mapStatus(shown, now()) === 'removed' ? {} : undefined,
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
}

/** Builds the schema of a payment in the list of its charge: one that names another charge is unreadable. */
function buildPaymentSchema(reference: string) {
  return bacenReceivedPixSchema.refine(
    pix => (pix.txid || reference) === reference,
    'payment of another charge',
  )
}

const collectionKeyMissing = rejectForThisProvider(
  'collection_key_missing',
  'The provider needs the PIX key that receives the payment',
)

/** Tells whether a charge with our txid may exist: Efí answers 409, every provider the refusal of a charge among other causes. */
function mayAlreadyExist(outcome: IssueChargeOutcome): boolean {
  return isDuplicate(outcome) || (outcome.kind === 'rejected' && outcome.code === 'charge_refused')
}
