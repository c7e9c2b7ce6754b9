import { defineSignal } from '@temporalio/workflow'

/** Signals that something changed at a provider, which is then polled. */
export type ProviderNotificationSignal = {
  notificationUuid: string
  connectionUuid: string
  /** It was received a moment ago. Absent for one that the sweep routes later. */
  isNew?: true
  /** It is about money that the recipient of a transfer returned. */
  isAboutReturn?: true
}
export const providerNotificationSignal = defineSignal<[ProviderNotificationSignal]>('providerNotification')
