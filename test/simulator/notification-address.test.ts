import { expect, test } from '@jest/globals'
import { buildEfiNotificationUrl } from '../../packages/simulator/provider-apis/efi/notifications.ts'

test.each([
  ['https://trilho.test/provider-notifications/1', 'https://trilho.test/provider-notifications/1/pix'],
  ['https://trilho.test/provider-notifications/1/', 'https://trilho.test/provider-notifications/1/pix'],
  [
    'https://trilho.test/provider-notifications/1?hmac=x',
    'https://trilho.test/provider-notifications/1/pix?hmac=x',
  ],
  ['https://trilho.test', 'https://trilho.test/pix'],
  [
    'https://trilho.test/provider-notifications/1?hmac=x&ignorar=',
    'https://trilho.test/provider-notifications/1?hmac=x&ignorar=',
  ],
])('Efí, configured with %s, calls %s', (registered, called) => {
  expect(buildEfiNotificationUrl(registered)).toBe(called)
})
