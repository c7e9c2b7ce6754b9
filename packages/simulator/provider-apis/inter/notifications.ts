import { readAccountOptions } from '../../account-options.ts'
import type { NotificationFormat } from '../../notifications.ts'
import type { SimulatorStore } from '../../store.ts'
import type { SimulatedWebhooks } from '../../webhooks.ts'
import { createBankNotificationFormat } from '../bacen/notifications.ts'
import { presentInterPaymentNotification } from './payment-presenters.ts'
import { findPaymentOfTransfer } from './payment-store.ts'
import { INTER_RECURRENCE_PROFILE, presentInterReceivedPix } from './profile.ts'

/** Kind of Inter's notifications of sent PIX, at the end of their URL ("TipoWebhookEnum"). */
export const INTER_SENT_KIND = 'pix-pagamento'

/** Creates Inter's notifications; of sent PIX those that ended, and orders that were disapproved. */
export function createInterNotificationFormat({
  store,
  ...webhooks
}: {
  store: SimulatorStore
  webhooks: SimulatedWebhooks
  paymentWebhooks: SimulatedWebhooks
}): NotificationFormat {
  return createBankNotificationFormat(webhooks, {
    sentKind: INTER_SENT_KIND,
    presentReceivedPix: presentInterReceivedPix,
    wrapReceivedPix: (account, pix) =>
      readAccountOptions(account).bare_notifications ? [pix] : { pix: [pix] },
    presentSent: event => {
      const transfer = event.kind === 'transfer' ? event.transfer : undefined
      const id = event.kind === 'transfer' ? event.transfer.id : event.id
      const payment = findPaymentOfTransfer(store, { accountId: event.account.id, id })
      return payment ? [presentInterPaymentNotification(payment, transfer)] : null
    },
    presentTry: INTER_RECURRENCE_PROFILE.presentTry,
    buildHeaders: account => ({ 'x-conta-corrente': readAccountOptions(account).account_number }),
  })
}
