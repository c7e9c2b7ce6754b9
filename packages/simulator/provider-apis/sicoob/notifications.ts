import type { NotificationFormat } from '../../notifications.ts'
import type { SimulatedWebhooks } from '../../webhooks.ts'
import { createBankNotificationFormat } from '../bacen/notifications.ts'
import { presentPaymentNotification } from './payment-presenters.ts'
import { presentSicoobReceivedPix } from './profile.ts'

/** Kind of Sicoob's notifications of sent PIX, at the end of their URL. */
export const SICOOB_SENT_KIND = 'lancamento'

/** Creates Sicoob's notifications; of sent PIX those that ended. */
export function createSicoobNotificationFormat(webhooks: {
  webhooks: SimulatedWebhooks
  paymentWebhooks: SimulatedWebhooks
}): NotificationFormat {
  return createBankNotificationFormat(webhooks, {
    sentKind: SICOOB_SENT_KIND,
    presentReceivedPix: presentSicoobReceivedPix,
    presentSent: event =>
      event.kind === 'transfer' ? { payload: presentPaymentNotification(event.transfer) } : null,
  })
}
