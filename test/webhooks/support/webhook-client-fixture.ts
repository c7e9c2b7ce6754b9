import type { RequestListener } from 'node:http'
import { afterEach, beforeAll } from '@jest/globals'
import { createAddressPolicy } from '../../../src/webhook-client/address-policy.ts'
import { createWebhookClient, type WebhookClientOptions } from '../../../src/webhook-client/client.ts'
import { type CertificateAuthority, createAuthority, startMerchantServer } from './merchant-server.ts'

let testAuthority: CertificateAuthority
const closers: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  testAuthority = await createAuthority()
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

type PostInput = { path?: string; body?: string; headers?: Record<string, string> }

/** A merchant's server called hooks.test, and a client that resolves it there. */
export async function openWebhookClientFixture(
  listener: RequestListener,
  options: Partial<WebhookClientOptions> = {},
) {
  const merchant = await startMerchantServer(testAuthority, { names: ['hooks.test', '127.0.0.1'] }, listener)
  const dialer = createWebhookClient({
    policy: createAddressPolicy({ canReachLoopback: true }),
    ca: [testAuthority.pem],
    resolve: async () => ['127.0.0.1'],
    timeoutMs: 30_000,
    ...options,
  })
  closers.push(() => dialer.close().catch(() => {}), merchant.close)
  return {
    ...merchant,
    dialer,
    post: ({ path = '/', body = '{}', headers = {} }: PostInput = {}) =>
      dialer.postSigned({ url: `https://hooks.test:${merchant.port}${path}`, body, headers }),
  }
}
