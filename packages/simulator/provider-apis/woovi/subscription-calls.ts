import { shiftDay } from '../../business-days.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { computeCycleStart } from '../../recurrences/cycles.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { buildWooviListPage } from './list-page.ts'
import { debitBody, parseWooviBody, type SubscriptionBody, wooviSubscriptionBody } from './schemas.ts'
import {
  buildSubscriptionCode,
  presentInstallment,
  presentWooviSubscription,
  WOOVI_FREQUENCIES,
} from './subscription-presenters.ts'
import type { WooviInstallment, WooviSubscription } from './subscriptions.ts'

type WooviSubscriptionHandlers = Record<
  'create' | 'show' | 'list' | 'cancel' | 'installments' | 'installment' | 'charge' | 'retry',
  (call: SimulatedCall) => SimulatedResponse
>

/** Most and least days before the day of a debit at which it may be ordered ("Criação manual de cobranças recorrentes"). */
const MOST_DAYS_AHEAD = 10
const LEAST_DAYS_AHEAD = 5
/** "A data de início precisa estar a pelo menos 3 dias de hoje" (ONLY_RECURRENCY). */
const LEAST_DAYS_TO_START = 3

/** Creates the handlers of `/subscriptions` and `/installments`: Pix Automático by the journey ONLY_RECURRENCY. */
export function createWooviSubscriptionHandlers(state: SimulatorState): WooviSubscriptionHandlers {
  const { accounts, recurring, store, wooviSubscriptions: subscriptions } = state
  const { recurrences, locations, charges, payers, clock } = recurring

  const present = (subscription: WooviSubscription) => {
    const { token } = locations.findByRecurrence(subscription.recurrenceId)!
    return presentWooviSubscription(subscription, {
      recurrence: recurrences.find(subscription.recurrenceId)!,
      emv: buildSubscriptionCode(accounts.find(subscription.accountId)!, locations.buildUrl(token)),
    })
  }
  const presentPart = (subscription: WooviSubscription) => (installment: WooviInstallment) => {
    const { accountId, recurrenceId } = subscription
    const charge = installment.txid === null ? undefined : charges.find(accountId, installment.txid)
    const recurrence = recurrences.find(recurrenceId)!
    const tries = charge ? charges.listTries(charge) : []
    return presentInstallment(installment, { subscription, recurrence, charge, tries })
  }
  const respond = (subscription: WooviSubscription) => ({
    status: 200,
    body: { subscription: present(subscription) },
  })

  return {
    create: ({ account, body }) => {
      const parsed = parseWooviBody(wooviSubscriptionBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const { correlationID, value: cents, customer, name, comment, frequency, dayDue } = parsed.value
      const { pixRecurringOptions, installmentCount = null } = parsed.value
      if (subscriptions.find(account.id, correlationID)) return errors.subscriptionIdInUse()
      const today = clock.today()
      const startsOn = findStartDay(parsed.value.dayGenerateCharge, today)
      if (startsOn < shiftDay(today, LEAST_DAYS_TO_START)) return errors.subscriptionStartTooEarly()
      const { retryPolicy, minimumValue } = pixRecurringOptions
      const cycle = { startsOn, frequency: WOOVI_FREQUENCIES[frequency] }
      const created = store.inTransaction(() => {
        const recurrence = recurrences.create(account, {
          ...cycle,
          contract: correlationID,
          subject: comment ?? null,
          debtorName: customer.name,
          debtorDocument: customer.taxID,
          endsOn: installmentCount === null ? null : computeCycleStart(cycle, installmentCount - 1),
          cents: minimumValue === undefined ? cents : null,
          minimumCents: minimumValue ?? null,
          allowsRetries: retryPolicy === 'THREE_RETRIES_7_DAYS' ? 1 : 0,
          agreement: null,
          activationTxid: null,
        })
        locations.attach(locations.create(account.id), recurrence.id)
        return subscriptions.add({
          accountId: account.id,
          correlationID,
          recurrenceId: recurrence.id,
          name: name ?? null,
          comment: comment ?? null,
          customer: JSON.stringify(customer),
          cents,
          dayDue,
          installmentCount,
        })
      })
      return respond(created)
    },
    show: ({ account, params }) => {
      const subscription = subscriptions.find(account.id, params.id!)
      return subscription ? respond(subscription) : errors.subscriptionNotFound()
    },
    list: call =>
      buildWooviListPage(call, {
        field: 'subscriptions',
        between: () => subscriptions.list(call.account.id),
        present,
      }),
    cancel: ({ account, params }) => {
      const subscription = subscriptions.find(account.id, params.id!)
      if (!subscription) return errors.subscriptionNotFound()
      return payers.cancel(subscription.recurrenceId, 'SLCR')
        ? respond(subscription)
        : errors.subscriptionEnded()
    },
    // "The globalID of the subscription": unlike other calls, it is not said to take the correlationID.
    installments: call => {
      const subscription = subscriptions.find(call.account.id, call.params.id!)
      if (!subscription || subscription.id !== call.params.id) return errors.subscriptionNotFound()
      return buildWooviListPage(call, {
        field: 'installments',
        between: () => subscriptions.listInstallments(subscription),
        present: presentPart(subscription),
      })
    },
    installment: ({ account, params }) => {
      const found = subscriptions.findInstallment(account.id, params.id!)
      if (!found) return errors.installmentNotFound()
      return { status: 200, body: { installment: presentPart(found.subscription)(found.installment) } }
    },
    charge: ({ account, params, body }) => {
      const parsed = parseWooviBody(debitBody, body ?? {})
      if ('refusal' in parsed) return parsed.refusal
      const found = subscriptions.findInstallment(account.id, params.id!)
      if (!found) return errors.installmentNotFound()
      const { subscription, installment } = found
      const { dueOn, txid, cents } = installment
      if (txid !== null) return errors.debitExists()
      const today = clock.today()
      const isInPeriod =
        today >= shiftDay(dueOn, -MOST_DAYS_AHEAD) && today <= shiftDay(dueOn, -LEAST_DAYS_AHEAD)
      if (!isInPeriod) return errors.debitOutsidePeriod()
      if (recurrences.find(subscription.recurrenceId)!.status !== 'approved')
        return errors.subscriptionEnded()
      const charged = subscriptions.createDebit(subscription, installment, parsed.value.value ?? cents)
      if (!charged) return errors.subscriptionEnded()
      return { status: 200, body: { installment: presentPart(subscription)(charged) } }
    },
    retry: ({ account, params }) => {
      const found = subscriptions.findInstallment(account.id, params.id!)
      if (!found) return errors.installmentNotFound()
      const { subscription, installment } = found
      const charge = installment.txid === null ? undefined : charges.find(account.id, installment.txid)
      const { allowsRetries, payerIspb } = recurrences.find(subscription.recurrenceId)!
      const retried =
        charge &&
        charges.retry(charge, {
          day: shiftDay(clock.today(), 1),
          allowsRetries: allowsRetries === 1,
          payerIspb: payerIspb ?? account.ispb,
        })
      if (retried?.kind !== 'ordered') return errors.debitNotRetryable()
      charges.notify(retried.charge)
      return { status: 200, body: { installment: presentPart(subscription)(installment) } }
    },
  }
}

/** Finds the day of the first debit: the day that is named, or else the next one of that number, which a shorter month has on its last day. */
function findStartDay(day: SubscriptionBody['dayGenerateCharge'], today: string): string {
  if (typeof day === 'string') return new Date(day).toISOString().slice(0, 10)
  for (let month = today.slice(0, 7); ; month = shiftDay(`${month}-28`, 7).slice(0, 7)) {
    const lastDate = Number(shiftDay(`${shiftDay(`${month}-28`, 7).slice(0, 7)}-01`, -1).slice(8))
    const found = `${month}-${String(Math.min(day, lastDate)).padStart(2, '0')}`
    if (found >= today) return found
  }
}
