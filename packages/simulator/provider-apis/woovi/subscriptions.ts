import type { SimulatedAccounts } from '../../accounts.ts'
import { shiftDay } from '../../business-days.ts'
import type { IdGenerator } from '../../ids.ts'
import type { AutomaticCharge } from '../../recurrences/automatic-charges.ts'
import { computeCycleStart } from '../../recurrences/cycles.ts'
import type { SimulatedRecurring } from '../../recurrences/recurring.ts'
import type { SimulatorStore } from '../../store.ts'

/** A subscription of Pix Automático, with what Woovi stores of it beside its recurrence. */
export type WooviSubscription = {
  accountId: string
  /** Woovi's `globalID`. */
  id: string
  correlationID: string
  recurrenceId: string
  name: string | null
  comment: string | null
  /** As it was sent, JSON. */
  customer: string
  /** Default amount of its debits. */
  cents: number
  /** Days from the day of a debit until it expires. */
  dayDue: number
  installmentCount: number | null
  createdAt: string
}

/** One cycle of a subscription. */
export type WooviInstallment = {
  id: string
  recurrenceId: string
  number: number
  dueOn: string
  cents: number
  /** Of its debit; null while there is none. */
  txid: string | null
  createdAt: string
}

export type WooviSubscriptions = {
  add(subscription: Omit<WooviSubscription, 'id' | 'createdAt'>): WooviSubscription
  /** Finds a subscription by its `globalID` or its correlationID. */
  find(accountId: string, id: string): WooviSubscription | undefined
  list(accountId: string): WooviSubscription[]
  /** Lists the installments of a subscription, the first one first. */
  listInstallments(subscription: WooviSubscription): WooviInstallment[]
  /** Finds an installment by its `globalID`, or by the end-to-end id of its payment. */
  findInstallment(
    accountId: string,
    id: string,
  ): { subscription: WooviSubscription; installment: WooviInstallment } | undefined
  /** Makes the debit of an installment; undefined where its recurrence has ended. */
  createDebit(
    subscription: WooviSubscription,
    installment: WooviInstallment,
    cents: number,
  ): WooviInstallment | undefined
}

type SubscriptionDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  ids: IdGenerator
  recurring: SimulatedRecurring
}

/** Days before the day of a debit at which Woovi makes it ("Criação manual de cobranças recorrentes"). */
const DAYS_AHEAD = 4
/** A debit that is made later is refused by the payer's bank (FBRD). */
const LEAST_DAYS_AHEAD = 2
/** Installments that are listed ahead; Woovi names no number. */
const INSTALLMENTS_AHEAD = 3

/**
 * Simulates Woovi's subscriptions of Pix Automático, and its calendar: it makes the debit of each installment itself, and tries one that
 * failed again itself, a day later, in the middle, and on the last day. The calendar is kept whenever installments are read, and at the end
 * of each period of a day.
 */
export function simulateWooviSubscriptions({
  store,
  accounts,
  ids,
  recurring,
}: SubscriptionDependencies): WooviSubscriptions {
  const { recurrences, charges, clock, payers } = recurring

  const readInstallments = ({ recurrenceId }: WooviSubscription) =>
    store.all<WooviInstallment>(
      'SELECT * FROM wooviInstallment WHERE recurrenceId = ? ORDER BY number',
      recurrenceId,
    )

  /** Adds installments until enough are ahead of today, or the last one is there. */
  const addInstallments = (subscription: WooviSubscription) => {
    const recurrence = recurrences.find(subscription.recurrenceId)!
    const installments = readInstallments(subscription)
    const limit = subscription.installmentCount ?? Number.POSITIVE_INFINITY
    let ahead = installments.filter(({ dueOn }) => dueOn > clock.today()).length
    for (let number = installments.length + 1; ahead < INSTALLMENTS_AHEAD && number <= limit; number += 1) {
      const dueOn = computeCycleStart(recurrence, number - 1)
      if (dueOn > clock.today()) ahead += 1
      store.insert('wooviInstallment', {
        id: buildGlobalId('PaymentSubscriptionInstallment', ids),
        recurrenceId: recurrence.id,
        number,
        dueOn,
        cents: subscription.cents,
        txid: null,
        createdAt: clock.now().toISOString(),
      })
    }
  }

  const createDebit: WooviSubscriptions['createDebit'] = (subscription, installment, cents) => {
    const account = accounts.find(subscription.accountId)!
    const created = charges.create({
      account,
      recurrence: recurrences.find(subscription.recurrenceId)!,
      txid: ids.token().toUpperCase(),
      cents,
      dueOn: installment.dueOn,
      adjustsDay: false,
      receiver: { account: '1', kind: 'CORRENTE' },
      debtor: undefined,
      info: subscription.comment ?? undefined,
      silent: false,
    })
    if (created.kind !== 'created') return undefined
    const { txid } = created.charge
    store.run('UPDATE wooviInstallment SET txid = ?, cents = ? WHERE id = ?', txid, cents, installment.id)
    charges.notify(created.charge)
    return { ...installment, txid, cents }
  }

  /** Orders the next retry of a debit that has failed; one whose last retry has failed expires. */
  const retryDebit = (subscription: WooviSubscription, charge: AutomaticCharge) => {
    const { allowsRetries, payerIspb } = recurrences.find(subscription.recurrenceId)!
    const tries = charges.listTries(charge)
    const hasFailed = tries.every(({ status }) => status === 'rejected' || status === 'expired')
    if (charge.status !== 'active' || !allowsRetries || !hasFailed) return
    const lastDay = tries.at(-1)!.day
    const day = listRetryDays(charge.firstTryOn, subscription.dayDue).find(
      one => one > lastDay && one > clock.today(),
    )
    if (day === undefined) {
      charges.notify(charges.setStatus(charge, 'expired'))
      return
    }
    const retried = charges.retry(charge, { day, allowsRetries: true, payerIspb: payerIspb! })
    if (retried.kind === 'ordered') charges.notify(charge)
  }

  const keepCalendar = (subscription: WooviSubscription) =>
    store.inTransaction(() => {
      const recurrence = recurrences.find(subscription.recurrenceId)!
      if (recurrence.status === 'created' || recurrence.status === 'approved') addInstallments(subscription)
      const today = clock.today()
      const canBeDebited = (dueOn: string) =>
        recurrence.status === 'approved' &&
        today >= shiftDay(dueOn, -DAYS_AHEAD) &&
        today <= shiftDay(dueOn, -LEAST_DAYS_AHEAD)
      for (const installment of readInstallments(subscription)) {
        const { dueOn, txid, cents } = installment
        if (txid !== null) retryDebit(subscription, charges.find(subscription.accountId, txid)!)
        else if (canBeDebited(dueOn)) createDebit(subscription, installment, cents)
      }
    })

  payers.onPeriodEnd(() => {
    for (const subscription of store.all<WooviSubscription>('SELECT * FROM wooviSubscription ORDER BY rowid'))
      keepCalendar(subscription)
  })

  const listInstallments = (subscription: WooviSubscription) => {
    keepCalendar(subscription)
    return readInstallments(subscription)
  }

  return {
    add: subscription =>
      store.inTransaction(() => {
        const id = buildGlobalId('PaymentSubscription', ids)
        const created = { ...subscription, id, createdAt: clock.now().toISOString() }
        store.insert('wooviSubscription', created)
        addInstallments(created)
        return created
      }),
    find: (accountId, id) =>
      store.first<WooviSubscription>(
        'SELECT * FROM wooviSubscription WHERE accountId = ? AND (id = ? OR correlationID = ?)',
        accountId,
        id,
        id,
      ),
    list: accountId =>
      store.all<WooviSubscription>(
        'SELECT * FROM wooviSubscription WHERE accountId = ? ORDER BY rowid',
        accountId,
      ),
    listInstallments,
    findInstallment: (accountId, id) => {
      const [found] = store.all<WooviInstallment>(
        `SELECT i.* FROM wooviInstallment i JOIN wooviSubscription s ON s.recurrenceId = i.recurrenceId AND s.accountId = ?
         LEFT JOIN chargeTry t ON t.accountId = s.accountId AND t.txid = i.txid AND t.status = 'paid'
         WHERE i.id = ? OR t.endToEnd = ?`,
        accountId,
        id,
        id,
      )
      if (!found) return undefined
      const subscription = findByRecurrence(store, found.recurrenceId)!
      return { subscription, installment: listInstallments(subscription).find(one => one.id === found.id)! }
    },
    createDebit,
  }
}

/** Finds the subscription of a recurrence. */
export function findByRecurrence(store: SimulatorStore, recurrenceId: string): WooviSubscription | undefined {
  return store.first<WooviSubscription>(
    'SELECT * FROM wooviSubscription WHERE recurrenceId = ?',
    recurrenceId,
  )
}

/** Finds the installment of a debit. */
export function findInstallmentOfDebit(
  store: SimulatorStore,
  { recurrenceId, txid }: Pick<AutomaticCharge, 'recurrenceId' | 'txid'>,
): WooviInstallment | undefined {
  return store.first<WooviInstallment>(
    'SELECT * FROM wooviInstallment WHERE recurrenceId = ? AND txid = ?',
    recurrenceId,
    txid,
  )
}

/** Lists the days of retries: a day after the debit, in the middle of the days until it expires, and when it expires. */
function listRetryDays(firstDay: string, dayDue: number): string[] {
  return [1, Math.ceil(dayDue / 2), dayDue].map(days => shiftDay(firstDay, days))
}

/** Builds a `globalID`, which is a base64 of a type and 24 hexadecimal digits in Woovi's examples. */
function buildGlobalId(type: string, ids: IdGenerator): string {
  return Buffer.from(`${type}:${ids.panelId()}`).toString('base64')
}
