import type { SimulatedAccounts } from '../../accounts.ts'
import { findMagicOutcome } from '../../magic-recipients.ts'
import type { RailEventHandler } from '../../rail-events.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorStore } from '../../store.ts'
import type { SimulatedRecipient, SimulatedTransfers } from '../../transfers.ts'
import {
  findInterPayment,
  getInterTransferId,
  type InterPayment,
  listWaitingPayments,
  setPaymentState,
} from './payment-store.ts'

type SendingState = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  transfers: SimulatedTransfers
  now: () => Date
}
type SendingPlan = { outcome: ScriptedOutcome; returnedCents: number[] }

/** Sends the transfer of a payment; `no_balance` leaves nothing. */
export function sendInterPayment(
  { accounts, transfers }: Pick<SendingState, 'accounts' | 'transfers'>,
  payment: InterPayment,
  { outcome, returnedCents }: SendingPlan,
): 'sent' | 'no_balance' {
  const accepted = transfers.accept({
    account: accounts.find(payment.accountId)!,
    id: getInterTransferId(payment),
    cents: payment.cents,
    recipient: JSON.parse(payment.recipient) as SimulatedRecipient,
    payerKey: accounts.listKeys(payment.accountId)[0] ?? '',
    message: payment.message,
    returnedCents,
    outcome,
  })
  return accepted.kind === 'no_balance' ? 'no_balance' : 'sent'
}

/** Sends a payment that was approved, or whose day has come; without balance it is cancelled. */
function sendLater({ store, accounts, transfers, now }: SendingState, payment: InterPayment): boolean {
  const magic = findMagicOutcome(JSON.parse(payment.recipient) as SimulatedRecipient, payment.cents)
  const plan: SendingPlan =
    'refused' in magic ? { outcome: { kind: 'rejected', code: magic.refused }, returnedCents: [] } : magic
  return store.inTransaction(() => {
    const isSent = sendInterPayment({ accounts, transfers }, payment, plan) === 'sent'
    const state = isSent ? 'sent' : 'without_balance'
    setPaymentState(store, payment.code, { state, changedAt: now().toISOString() })
    return isSent
  })
}

/** Sends the payment of a day that has come. */
export function sendScheduledPayment(state: SendingState, { code }: { code: string }): void {
  const payment = findInterPayment(state.store, code)
  if (payment?.state === 'scheduled') sendLater(state, payment)
}

/** Creates the panel's actions on payments that wait for approval; a payment is named by its code. */
export function createInterApprovals(state: SendingState & { onRailEvent: RailEventHandler }) {
  const findWaiting = (code: string): InterPayment | undefined => {
    const payment = findInterPayment(state.store, code)
    return payment?.state === 'waiting' ? payment : undefined
  }
  return {
    list: () =>
      listWaitingPayments(state.store).map(({ code, accountId, cents, recipient }) => {
        const { key } = JSON.parse(recipient) as SimulatedRecipient
        return { id: code, accountId, cents, key: key ?? '' }
      }),
    /** Approves a payment; false if the balance does not cover it, undefined if none waits. */
    approve(code: string): boolean | undefined {
      const payment = findWaiting(code)
      return payment && sendLater(state, payment)
    },
    /** Disapproves a payment, with a notification; false if none waits. */
    remove(code: string): boolean {
      const payment = findWaiting(code)
      if (!payment) return false
      state.store.inTransaction(() => {
        setPaymentState(state.store, code, {
          state: 'disapproved',
          changedAt: state.now().toISOString(),
        })
        const account = state.accounts.find(payment.accountId)!
        state.onRailEvent({ kind: 'order_removed', account, id: code })
      })
      return true
    },
  }
}
