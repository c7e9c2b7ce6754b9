import type { RequestListener } from 'node:http'
import { afterEach, beforeAll } from '@jest/globals'
import { addressPolicy } from '../../src/webhooks/addresses.ts'
import { type DialerOptions, webhookDialer } from '../../src/webhooks/dial.ts'
import { type Authority, authority, farSide } from './far-side.ts'

let ca: Authority
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  ca = await authority()
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

type Post = { path?: string; body?: string; headers?: Record<string, string> }

/** A merchant's server called hooks.test, and a dialer that finds it there. */
export async function dialStory(listener: RequestListener, options: Partial<DialerOptions> = {}) {
  const merchant = await farSide(ca, { names: ['hooks.test', '127.0.0.1'] }, listener)
  const dialer = webhookDialer({
    policy: addressPolicy({ loopback: true }),
    ca: [ca.pem],
    resolve: async () => ['127.0.0.1'],
    timeoutMs: 5_000,
    ...options,
  })
  closing.push(() => dialer.close().catch(() => {}), merchant.close)
  return {
    ...merchant,
    dialer,
    post: ({ path = '/', body = '{}', headers = {} }: Post = {}) =>
      dialer.postSigned({ url: `https://hooks.test:${merchant.port}${path}`, body, headers }),
  }
}
