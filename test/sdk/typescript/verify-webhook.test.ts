import { expect, test } from '@jest/globals'
import { verifyWebhook, WebhookVerificationError } from '../../../sdk/typescript/src/index.ts'
import { buildSignatureHeaders, generateSigningSecret } from '../../../src/webhook-client/signature.ts'

/** What the verification for TypeScript has alone; what all clients verify and refuse is in test/sdk/conformance. */

const token = generateSigningSecret()
const event = {
  id: 'evt_1',
  type: 'PAYMENT',
  timestamp: '2026-11-21T12:00:00.000000Z',
  data: { uuid: '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21', status: 'PAID', sequence: 1, name: 'João ✓' },
}
const body = JSON.stringify(event)
const signed = { ...buildSignatureHeaders({ id: event.id, at: new Date(), body, secrets: [token] }) }

test('the body is a text or bytes', async () => {
  const bytes = new TextEncoder().encode(body)
  for (const received of [body, bytes, Buffer.from(body), bytes.buffer])
    expect(await verifyWebhook(received, signed, token)).toEqual(event)
})

test('a parsed body is a mistake', async () => {
  const parsed: ReturnType<typeof JSON.parse> = JSON.parse(body)
  await expect(verifyWebhook(parsed, signed, token)).rejects.toThrow(/before any parsing/)
})

test('headers are those of fetch and of Node', async () => {
  for (const headers of [new Headers(signed), { host: 'x', cookie: ['a', 'b'], ...signed }])
    expect(await verifyWebhook(body, headers, token)).toEqual(event)
})

test('the clock may be another one; a tolerance that is no number accepts nothing', async () => {
  const now = new Date(Date.now() - 10 * 60_000)
  expect(await verifyWebhook(body, signed, token, { now, toleranceS: 3_600 })).toEqual(event)
  for (const toleranceS of [undefined, Number.NaN]) {
    const options = toleranceS === undefined ? { now } : { now, toleranceS }
    const verified = verifyWebhook(body, signed, token, options)
    await expect(verified).rejects.toThrow(WebhookVerificationError)
  }
})

test('a message says which header is missing, and shows no secret', async () => {
  const incomplete = verifyWebhook(body, { ...signed, 'webhook-id': '' }, token)
  await expect(incomplete).rejects.toThrow(/^webhook-id is missing$/)
  await expect(verifyWebhook(body, signed, 'whsec_')).rejects.toThrow(/^secret must/)
})

test('the type of an event decides its data', async () => {
  const verified = await verifyWebhook(body, signed, token)
  if (verified.type !== 'PAYMENT') throw new Error('It is a PAYMENT')
  expect(verified.data.status satisfies string).toBe('PAID')
  expect(verified.data.sequence satisfies number).toBe(1)
})
