import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import { wooviCredentialsSchema } from '../../../src/providers/woovi/client.ts'
import {
  AUTOMATIC_PIX_EVENTS,
  createWooviNotifications,
  REGISTERED_EVENTS,
} from '../../../src/providers/woovi/notifications.ts'
import { findWooviNotificationViolations, type WooviNotificationBody } from '../../support/woovi-contract.ts'
import {
  credentials,
  END_TO_END,
  okReply,
  openWooviFixture,
  REFERENCE,
  RETURN_ID,
  WEBHOOK_SECRET,
} from '../support/woovi-fixture.ts'
import published from './support/published-notifications.json' with { type: 'json' }

const macOf = (body: string, secret = WEBHOOK_SECRET) =>
  createHmac('sha1', secret).update(body).digest('base64')
const text = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))
const KEYS = 'GET /api/v1/webhook/public-keys'
const NOW = Date.parse('2026-01-10T12:00:00Z')
const noLookups = {
  lookUpExisting: () => {
    throw new Error('no key is asked for')
  },
  record: async () => {},
}
const { readNotification } = createWooviNotifications(noLookups, credentials, () => NOW)
const read = (body: unknown) =>
  readNotification({
    body: text(body),
    headers: { 'x-openpix-signature': macOf(text(body)) },
    secret: null,
  })

test('the signature equals the example of Woovi’s documentation', async () => {
  const body =
    '{"data_criacao":"2021-08-10T20:32:14.429Z","evento":"teste_webhook","event":"OPENPIX:CHARGE_COMPLETED"}'
  const secrets = wooviCredentialsSchema.parse({ app_id: 'id', webhook_secret: 'hmac-secret-key' })
  const known = createWooviNotifications(noLookups, secrets, () => NOW)
  const headers = { 'x-openpix-signature': macOf(body, 'hmac-secret-key') }
  expect(await known.readNotification({ body, headers, secret: null })).toEqual({ kind: 'items', items: [] })
})

test.each([
  ['no signature', {}],
  ['an empty one', { 'x-openpix-signature': '' }],
  ['one of another secret', { 'x-openpix-signature': macOf('{}', 'another') }],
  ['one of another body', { 'x-openpix-signature': macOf('{ }') }],
])('%s is forged', async (_name, headers) => {
  const read = await readNotification({ body: '{}', headers, secret: WEBHOOK_SECRET })
  expect(read).toEqual({ kind: 'forged' })
})

test('each webhook has its own secret, and Woovi one key for all', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const configured = wooviCredentialsSchema.parse({
    app_id: 'id',
    webhook_secret: ['one', 'two'],
    webhook_public_key: publicKey.export({ type: 'spki', format: 'pem' }),
  })
  const lookUpExisting = async () => ({ kind: 'no_answer', code: 'timeout', message: '' }) as const
  const known = createWooviNotifications({ ...noLookups, lookUpExisting }, configured, () => NOW)
  const body = '{"event":"OPENPIX:CHARGE_CREATED"}'
  const signature = sign('sha256', Buffer.from(body), privateKey).toString('base64')
  const parsed = async (headers: Record<string, string>) =>
    (await known.readNotification({ body, headers, secret: null })).kind
  expect(await parsed({ 'x-openpix-signature': macOf(body, 'one') })).toBe('items')
  expect(await parsed({ 'x-openpix-signature': macOf(body, 'two') })).toBe('items')
  expect(await parsed({ 'x-webhook-signature': signature })).toBe('items')
  const another = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  expect(await parsed({ 'x-webhook-signature': another })).toBe('no_answer')
})

test.each(['', '{', '[]', 'null', '{}', '{"event":7}', '{"event":"x","pix":"E1"}'])(
  '%s is unreadable',
  async body => {
    expect(await read(body)).toEqual({ kind: 'unreadable' })
  },
)

test.each([
  ['a test of a new address', { evento: 'teste_webhook', event: 'OPENPIX:TRANSACTION_RECEIVED' }],
  ['the older test', { evento: 'teste_webhook' }],
  ['the test of today', { data_criacao: '2024-01-23T20:32:14.429Z', event: 'OPENPIX:CHARGE_COMPLETED' }],
  ['the same with the other prefix', { data_criacao: '2024-01-23', event: 'woovi:MOVEMENT_CONFIRMED' }],
  ['the test of a dispute’s event', { event: 'OPENPIX:DISPUTE_CREATED' }],
  ['a dispute without a name', { event: 'woovi:DISPUTE_CREATED', dispute: { status: 'OPENED' } }],
  ['an event of no concern', { event: 'OPENPIX:CHARGE_CREATED', charge: { correlationID: REFERENCE } }],
  ['a name every object has', { event: 'constructor' }],
  ['a debit that was made', { event: 'PIX_AUTOMATIC_COBR_CREATED', globalID: 'UGF5', cobr: {} }],
])('%s has no content', async (_name, body) => {
  expect(await read(body)).toEqual({ kind: 'items', items: [] })
})

const charge = { correlationID: REFERENCE }
const pix = { endToEndId: END_TO_END }
const originalTransaction = { endToEndId: 'E-original' }
const refundTransaction = { endToEndId: RETURN_ID }
test.each([
  [
    { event: 'OPENPIX:TRANSACTION_RECEIVED', charge, pix },
    { kind: 'payment', reference: REFERENCE, endToEnd: END_TO_END },
  ],
  [
    { event: 'OPENPIX:TRANSACTION_RECEIVED', charge: null, pix: { ...pix, charge } },
    { kind: 'payment', reference: REFERENCE, endToEnd: END_TO_END },
  ],
  [
    { event: 'OPENPIX:TRANSACTION_RECEIVED', pix },
    { kind: 'payment', reference: null, endToEnd: END_TO_END },
  ],
  [
    { event: 'OPENPIX:TRANSACTION_RECEIVED', charge: null, pix: { raw: pix, charge: null }, pixQrCode: {} },
    { kind: 'payment', reference: null, endToEnd: END_TO_END },
  ],
  [
    { event: 'PIX_AUTOMATIC_REJECTED', globalID: 'UGF5', pixRecurring: { recurrencyId: 'RR1' } },
    { kind: 'recurrence', reference: 'RR1', endToEnd: null },
  ],
  [
    { event: 'PIX_AUTOMATIC_COBR_COMPLETED', globalID: 'UGF5', cobr: { endToEndId: END_TO_END } },
    { kind: 'payment', reference: 'UGF5', endToEnd: END_TO_END },
  ],
  [
    { event: 'PIX_AUTOMATIC_COBR_TRY_REJECTED', globalID: 'UGF5', cobr: {} },
    { kind: 'payment', reference: 'UGF5', endToEnd: null },
  ],
  [
    { event: 'OPENPIX:CHARGE_COMPLETED', charge, pix },
    { kind: 'payment', reference: REFERENCE, endToEnd: END_TO_END },
  ],
  [
    {
      event: 'OPENPIX:MOVEMENT_CONFIRMED',
      payment: { correlationID: 'send1' },
      transaction: { correlationID: 'another', endToEndId: 'E1' },
    },
    { kind: 'transfer', reference: 'send1', endToEnd: 'E1' },
  ],
  [
    { event: 'woovi:MOVEMENT_FAILED', payment: { correlationID: 'send1' } },
    { kind: 'transfer', reference: 'send1', endToEnd: null },
  ],
  [
    { event: 'OPENPIX:MOVEMENT_REMOVED', payment: { correlationID: 'send1' } },
    { kind: 'transfer', reference: 'send1', endToEnd: null },
  ],
  [
    { event: 'OPENPIX:MOVEMENT_FAILED', payment: { correlationID: 'send1' }, error: { code: 'X' } },
    { kind: 'transfer', reference: 'send1', endToEnd: null },
  ],
  [
    { event: 'PIX_TRANSACTION_REFUND_SENT_CONFIRMED', refundTransaction, originalTransaction },
    { kind: 'refund', reference: null, endToEnd: 'E-original' },
  ],
  [
    { event: 'PIX_TRANSACTION_REFUND_SENT_REJECTED', refundTransaction, originalTransaction },
    { kind: 'refund', reference: null, endToEnd: 'E-original' },
  ],
  [
    { event: 'PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED', refundTransaction, originalTransaction },
    { kind: 'transfer', reference: null, endToEnd: 'E-original' },
  ],
  ...['CREATED', 'ACCEPTED', 'REJECTED', 'CANCELED'].map(
    outcome =>
      [
        { event: `OPENPIX:DISPUTE_${outcome}`, dispute: { id: 'dispute1', endToEndId: END_TO_END } },
        { kind: 'dispute', reference: 'dispute1', endToEnd: END_TO_END },
      ] as const,
  ),
  [
    { event: 'OPENPIX:DISPUTE_CREATED', dispute: { status: 'OPENED', endToEndId: END_TO_END, value: 1000 } },
    { kind: 'dispute', reference: null, endToEnd: END_TO_END },
  ],
])('%j is parsed', async (body, item) => {
  const event = body.event.replace('woovi:', 'OPENPIX:')
  expect(findWooviNotificationViolations({ ...body, event })).toEqual([])
  expect(await read(body)).toEqual({ kind: 'items', items: [{ ...item, raw: JSON.stringify(body) }] })
})

describe('a callback of Woovi’s OpenAPI document (2026-08-20)', () => {
  const examples = Object.entries(published) as [string, WooviNotificationBody & { pix: object }][]
  const endToEnd = '9134e2866f71427abf00241681624586'

  test.each(examples)(
    '%s: its example satisfies the schema and is read, with and without an event',
    async (_name, example) => {
      const { charge } = example as { charge: { correlationID: string } | null }
      const item = { kind: 'payment', reference: charge?.correlationID ?? null, endToEnd }
      for (const body of [example, { event: 'OPENPIX:TRANSACTION_RECEIVED', ...example }]) {
        expect(findWooviNotificationViolations(body)).toEqual([])
        expect(await read(body)).toEqual({ kind: 'items', items: [{ ...item, raw: JSON.stringify(body) }] })
      }
    },
  )

  test.each(examples)('%s: every field but the end-to-end id may be absent', async (_name, example) => {
    for (const field of Object.keys(example.pix).filter(name => name !== 'raw'))
      expect(await read({ ...example, pix: { ...example.pix, [field]: undefined } })).toMatchObject({
        items: [{ kind: 'payment', endToEnd }],
      })
    for (const field of ['charge', 'pixQrCode'])
      expect(await read({ ...example, [field]: undefined })).toMatchObject({ items: [{ endToEnd }] })
  })

  test('a webhook may be registered for each event that the adapter registers', () => {
    const events = [...REGISTERED_EVENTS, ...AUTOMATIC_PIX_EVENTS]
    expect(events.flatMap(event => findWooviNotificationViolations({ event, pix: {} }))).toEqual([])
    expect(findWooviNotificationViolations({ event: 'OPENPIX:SOMETHING_NEW', pix: {} })).toEqual([
      expect.stringContaining('no such event'),
    ])
  })

  test('an id that is no text violates the schema of each callback, and is not read', async () => {
    for (const [, example] of examples) {
      const body = { ...example, pix: { ...example.pix, raw: { endToEndId: 7 } } }
      expect(findWooviNotificationViolations(body)).toEqual([expect.stringContaining('/pix/raw/endToEndId')])
      expect(await read(body)).toEqual({ kind: 'unreadable' })
    }
  })
})

test('an undocumented notification is recorded, and has no content', async () => {
  const unexplainedAnswers: UnexplainedAnswer[] = []
  const record = async (answer: UnexplainedAnswer) => void unexplainedAnswers.push(answer)
  const strict = createWooviNotifications({ ...noLookups, record }, credentials, () => NOW)
  const parsed = (body: string) =>
    strict.readNotification({ body, headers: { 'x-openpix-signature': macOf(body) }, secret: null })
  const unknown = '{"event":"OPENPIX:SOMETHING_NEW","pix":{"endToEndId":"E1"}}'
  expect(await parsed(unknown)).toEqual({ kind: 'items', items: [] })
  expect((await parsed('{"event":7}')).kind).toBe('unreadable')
  expect((await parsed('{"event":"OPENPIX:CHARGE_CREATED"}')).kind).toBe('items')
  const about = { operation: 'readNotification', reference: null, status: null }
  expect(unexplainedAnswers).toEqual([
    { ...about, kind: 'unlisted_value', name: 'OPENPIX:SOMETHING_NEW', body: unknown },
    { ...about, kind: 'unreadable_answer', name: '', body: '{"event":7}' },
  ])
})

test('a new connection verifies notifications by the keys that Woovi publishes, and follows a rotation', async () => {
  let now = NOW
  const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
  const [first, second] = [pair(), pair()]
  await using story = await openWooviFixture({ now: () => now })
  const parsed = async ({ privateKey }: typeof first, secret: string | null = null) => {
    const body = JSON.stringify({ data_criacao: '2026-01-10T12:00:00Z', event: 'OPENPIX:CHARGE_COMPLETED' })
    const signature = sign('sha256', Buffer.from(body), privateKey).toString('base64')
    return (
      await story.provider.readNotification({ body, headers: { 'x-webhook-signature': signature }, secret })
    ).kind
  }
  const published = (...pairs: (typeof first)[]) =>
    okReply({
      public_keys: pairs.map(({ publicKey }, index) => ({
        key_identifier: String(index),
        is_current: index === 0,
        key: publicKey.export({ type: 'spki', format: 'pem' }),
      })),
    })
  story.scripted.scriptReplies(KEYS, published(first), 'reset', published(second, first))

  expect(await parsed(first)).toBe('items')
  expect(await parsed(first)).toBe('items')
  expect(await parsed(second)).toBe('forged')
  expect(story.scripted.calls()).toHaveLength(1)
  now += 60_000
  expect(await parsed(second)).toBe('no_answer')
  expect(await parsed(first)).toBe('items')
  expect(await parsed(second)).toBe('items')
  expect(await parsed(first)).toBe('items')
  expect(story.scripted.calls()).toHaveLength(3)
})

test('invalid keys verify nothing', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(KEYS, okReply({ public_keys: [{ key: 'none' }] }))
  const headers = { 'x-webhook-signature': 'AAAA' }
  expect(await story.provider.readNotification({ body: '{}', headers, secret: null })).toEqual({
    kind: 'forged',
  })
})
