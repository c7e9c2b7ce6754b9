import { expect, test } from '@jest/globals'
import type { ProviderNotification } from '../../../src/db/entities/provider-notification.ts'
import { buildNotificationSignal } from '../../../src/provider-notifications/route-notification.ts'

test.each([
  { ageMs: 0, more: { isNew: true } },
  { ageMs: 4_000, more: { isNew: true } },
  { ageMs: 10_000, more: {} },
])('the signal of a notification says whether it is new: after $ageMs ms', ({ ageMs, more }) => {
  const receivedAt = new Date(Date.now() - ageMs)
  const notification = { uuid: 'notice', connectionUuid: 'connection', receivedAt } as ProviderNotification
  expect(buildNotificationSignal(notification)).toEqual({
    notificationUuid: 'notice',
    connectionUuid: 'connection',
    ...more,
  })
})
