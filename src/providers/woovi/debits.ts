import type {
  AutomaticDebit,
  FindChargeOutcome,
  FoundCharge,
  IncomingPix,
  IssueChargeOutcome,
  IssuedCharge,
  NoAnswerResult,
  NotFoundResult,
  RejectedResult,
} from '../../domain/providers/provider.ts'
import type { ChargeTry } from '../../domain/recurrences/charge-try.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import { isTextOfDay } from '../adapter/due-days.ts'
import { reportPaymentNotListed } from '../adapter/outcomes.ts'
import { toParty } from '../adapter/party.ts'
import { encodePath } from '../http/client.ts'
import type { WooviClient } from './client.ts'
import { isReceivedPix, mapWooviPayment } from './mapping.ts'
import { findWooviTransaction } from './payments.ts'
import {
  type WooviCobr,
  type WooviInstallment,
  type WooviTry,
  wooviInstallmentSchema,
} from './recurrence-schemas.ts'
import { findWooviSubscription } from './recurrences.ts'

/**
 * Creates the calls about the debits of subscriptions. Woovi makes the debit (`cobr`) of each installment itself, and tries it again itself:
 * none is ordered, so that a cycle has one whatever becomes of our calls. A debit has no id of ours; it is that of the installment of its due day.
 */
export function createWooviDebits(client: WooviClient) {
  return {
    /** Adopts the debit of a due day as the charge of its cycle; until Woovi has made it, the outcome is `unknown`. */
    async adopt(debit: AutomaticDebit): Promise<IssueChargeOutcome> {
      const found = await findInstallment(debit)
      if (found.kind === 'no_answer') return { ...found, kind: 'unknown' }
      if (found.kind === 'not_found') return debitNotMade
      const { installment } = found
      if (installment.cobr) return { kind: 'accepted', charge: mapDebit(installment, installment.cobr) }
      return ENDED_INSTALLMENTS.includes(installment.status) ? debitCancelled : debitNotMade
    },

    /** Looks up a debit with its payment, which Woovi names by its end-to-end id. */
    async find(debit: AutomaticDebit): Promise<FindChargeOutcome> {
      const found = await findInstallment(debit)
      if (found.kind !== 'found') return found
      const { installment } = found
      const { cobr } = installment
      if (!cobr) return { kind: 'not_found' }
      const status = STATUSES[cobr.status]
      const payment = status === 'completed' ? await findPaymentOf(cobr) : null
      if (payment?.kind === 'no_answer') return payment
      return {
        kind: 'found',
        status,
        charge: mapDebit(installment, cobr),
        payments: payment ? [payment.payment] : [],
        ...(cobr.tries && { tries: mapTries(cobr.tries, cobr.endToEndId) }),
        ...(cobr.rejectCode && { endCode: cobr.rejectCode }),
      }
    },
  }

  /** Finds the installment of a due day. An unreadable one may be it, and leaves it without an answer. */
  async function findInstallment({
    recurrenceReference: reference,
    dueOn,
  }: AutomaticDebit): Promise<
    { kind: 'found'; installment: WooviInstallment } | NotFoundResult | NoAnswerResult
  > {
    const subscription = await findWooviSubscription(client, reference, ({ globalID }) => ({ globalID }))
    if (subscription.kind !== 'found') return subscription
    const list = await client.readAllPages({
      call: 'listInstallments',
      reference,
      path: encodePath`/api/v1/subscriptions/${subscription.globalID}/installments`,
      field: 'installments',
      row: wooviInstallmentSchema,
      keyOf: ({ globalID }) => globalID,
      toItem: installment => installment,
    })
    if (list.kind === 'no_answer') return list
    const ofDay = list.items.filter(({ dateGenerateCharge }) => isTextOfDay(dateGenerateCharge, dueOn))
    const installment = ofDay.find(({ cobr }) => cobr) ?? ofDay[0]
    if (installment) return { kind: 'found', installment }
    return list.unreadableItems.length > 0 ? installmentUnreadable : { kind: 'not_found' }
  }

  /** Finds the PIX of a paid debit. It names no charge of ours. */
  async function findPaymentOf({
    endToEndId,
    identifierId: txid,
  }: WooviCobr): Promise<{ kind: 'found'; payment: IncomingPix } | NoAnswerResult> {
    if (!endToEndId) return reportPaymentNotListed('Woovi')
    const found = await findWooviTransaction(client, endToEndId, pix =>
      pix.endToEndId === endToEndId && isReceivedPix(pix) ? { pix } : undefined,
    )
    if (found.kind === 'not_found') return reportPaymentNotListed('Woovi')
    if (found.kind === 'no_answer') return found
    return { kind: 'found', payment: { ...mapWooviPayment(found.pix), txid, reference: null } }
  }
}

/** Statuses of an installment of which no debit is made any more ("Máquina de Estados do Pix Automático"; CANCEL in its notifications). */
const ENDED_INSTALLMENTS: WooviInstallment['status'][] = ['CANCELED', 'CANCEL', 'EXPIRED']

const STATUSES = {
  CREATED: 'open',
  ACTIVE: 'open',
  FAILED_TRY: 'open',
  CONCLUDED: 'completed',
  COMPLETED: 'completed',
  REJECTED: 'failed',
  CANCELED: 'removed',
} as const satisfies Record<WooviCobr['status'], FoundCharge['status']>

const TRY_KINDS = { AGND: 'FIRST', NTAG: 'RETRY', RIFL: 'SAME_DAY' } as const satisfies Record<
  WooviTry['finalityPurpose'],
  ChargeTry['kind']
>

/** Maps a debit, which has no code and no key, and ends by its tries. */
function mapDebit({ globalID: ref, value }: WooviInstallment, cobr: WooviCobr): IssuedCharge {
  return {
    totalCents: cobr.value ?? value,
    txid: cobr.identifierId,
    payload: '',
    expiresAt: null,
    pixKey: '',
    receiver: toParty({}),
    ref,
  }
}

/** Maps the tries of a debit, by their days; `endToEnd`: of its payment. */
function mapTries(tries: WooviTry[], endToEnd: string | null | undefined): ChargeTry[] {
  return tries
    .map(({ requestedExecutionDate, finalityPurpose, tryStatus, rejectCode }) => ({
      on: computeBrasiliaDay(new Date(requestedExecutionDate)),
      kind: TRY_KINDS[finalityPurpose],
      status: tryStatus === 'CANCELED' ? ('CANCELLED' as const) : tryStatus,
      code: rejectCode || null,
      endToEnd: (tryStatus === 'PAID' && endToEnd) || null,
    }))
    .sort((one, other) => one.on.localeCompare(other.on))
}

const debitNotMade = {
  kind: 'unknown',
  code: 'debit_not_made',
  message: 'The provider has not made the debit of this day yet',
} as const

const debitCancelled: RejectedResult = {
  kind: 'rejected',
  finality: 'final',
  code: 'charge_refused',
  message: 'The provider has cancelled the debit of this day',
}

/** Woovi's API cancels no single debit. */
export const debitNotCancellable = {
  kind: 'refused',
  code: 'charge_refused',
  message: 'The provider cancels no debit without its recurrence',
} as const

const installmentUnreadable: NoAnswerResult = {
  kind: 'no_answer',
  code: 'unreadable_answer',
  message: 'The provider lists an installment of the recurrence that is unreadable',
}
