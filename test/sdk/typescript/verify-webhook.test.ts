import { describe, expect, test } from '@jest/globals'
import { verifyWebhook, WebhookVerificationError } from '../../../sdk/typescript/src/index.ts'
import { buildSignatureHeaders, generateSigningSecret } from '../../../src/webhook-client/signature.ts'

/** Deliveries that Trilho itself has signed, as docs/webhooks.md describes them. */

const MINUTE_MS = 60_000
const [token, ownToken, stranger] = [
  generateSigningSecret(),
  'um token próprio, com acento',
  generateSigningSecret(),
]
const event = {
  id: 'evt_1',
  type: 'PAYMENT',
  timestamp: '2026-11-21T12:00:00.000000Z',
  data: { uuid: '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21', status: 'PAID', sequence: 1, name: 'João ✓' },
}
const body = JSON.stringify(event)
type Headers = Record<string, string>

function sign(secrets: string[], { at = Date.now(), id = event.id } = {}): Headers {
  return { ...buildSignatureHeaders({ id, at: new Date(at), body, secrets }) }
}
const signed = sign([token])

test.each<[what: string, headers: Headers]>([
  ['signed now', signed],
  ['of four minutes ago', sign([token], { at: Date.now() - 4 * MINUTE_MS })],
  ['of a clock four minutes ahead', sign([token], { at: Date.now() + 4 * MINUTE_MS })],
  ['that the secret before this one signs too', sign([stranger, token])],
  ['that the next secret signs too', sign([token, stranger])],
  [
    'with a signature of a later version too',
    { ...signed, 'webhook-signature': `v2,abc ${signed['webhook-signature']}` },
  ],
])('a delivery %s is verified', async (_what, headers) => {
  expect(await verifyWebhook(body, headers, token)).toEqual(event)
})

test.each<[what: string, body: string, headers: Headers, message: RegExp]>([
  ['with a changed body', body.replace('João', 'Joao'), signed, /No signature matches/],
  ['with a blank more', `${body} `, signed, /No signature matches/],
  ['of six minutes ago', body, sign([token], { at: Date.now() - 6 * MINUTE_MS }), /too old or too new/],
  ['of a clock six minutes ahead', body, sign([token], { at: Date.now() + 6 * MINUTE_MS }), /too old/],
  [
    'that is old, with a new timestamp',
    body,
    { ...sign([token], { at: 0 }), 'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}` },
    /No signature matches/,
  ],
  ['with the id of another event', body, { ...signed, 'webhook-id': 'evt_2' }, /No signature matches/],
  ['that strangers have signed', body, sign([stranger, ownToken]), /No signature matches/],
  ['without an id', body, { ...signed, 'webhook-id': '' }, /webhook-id is missing/],
  ['without a signature', body, { ...signed, 'webhook-signature': '' }, /webhook-signature is missing/],
  ['without a timestamp', body, { ...signed, 'webhook-timestamp': '' }, /webhook-timestamp is missing/],
  ['with a timestamp that is no number', body, { ...signed, 'webhook-timestamp': '1e9' }, /not a number/],
  ['with an empty signature', body, { ...signed, 'webhook-signature': 'v1,' }, /No signature matches/],
  ['with a signature that is not base64', body, { ...signed, 'webhook-signature': 'v1,%%' }, /No signature/],
  [
    'with a signature of another version',
    body,
    { ...signed, 'webhook-signature': signed['webhook-signature']!.replace('v1', 'v2') },
    /No signature matches/,
  ],
])('a delivery %s is refused', async (_what, received, headers, message) => {
  const verified = verifyWebhook(received, headers, token)
  await expect(verified).rejects.toThrow(WebhookVerificationError)
  await expect(verified).rejects.toThrow(message)
})

describe('it takes', () => {
  test('the body as text or bytes', async () => {
    const bytes = new TextEncoder().encode(body)
    for (const received of [body, bytes, Buffer.from(body), bytes.buffer])
      expect(await verifyWebhook(received, signed, token)).toEqual(event)
  })

  test('headers of fetch and of Node, in any case', async () => {
    const upper = Object.fromEntries(
      Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]),
    )
    for (const headers of [new Headers(signed), upper, { host: 'x', cookie: ['a', 'b'], ...signed }])
      expect(await verifyWebhook(body, headers, token)).toEqual(event)
  })

  test('a secret of the merchant', async () => {
    expect(await verifyWebhook(body, sign([ownToken]), ownToken)).toEqual(event)
    await expect(verifyWebhook(body, signed, ownToken)).rejects.toThrow(WebhookVerificationError)
  })

  test('another tolerance, and another clock', async () => {
    const now = new Date(Date.now() - 10 * MINUTE_MS)
    await expect(verifyWebhook(body, signed, token, { now })).rejects.toThrow(/too old or too new/)
    expect(await verifyWebhook(body, signed, token, { now, toleranceS: 3_600 })).toEqual(event)
    const noNumber = verifyWebhook(body, signed, token, { now, toleranceS: Number.NaN })
    await expect(noNumber).rejects.toThrow(/too old or too new/)
  })

  test.each(['', 'whsec_', 'whsec_%%'])('no secret like %j, and does not show it', async secret => {
    await expect(verifyWebhook(body, signed, secret)).rejects.toThrow(/^secret must/)
  })

  test('no parsed body', async () => {
    const parsed: ReturnType<typeof JSON.parse> = JSON.parse(body)
    await expect(verifyWebhook(parsed, signed, token)).rejects.toThrow(/before any parsing/)
  })
})

test('the type of an event decides its data', async () => {
  const verified = await verifyWebhook(body, signed, token)
  if (verified.type !== 'PAYMENT') throw new Error('It is a PAYMENT')
  expect(verified.data.status satisfies string).toBe('PAID')
  expect(verified.data.sequence satisfies number).toBe(1)
})
