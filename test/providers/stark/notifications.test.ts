import { expect, test } from '@jest/globals'
import { Ecdsa, PrivateKey } from 'starkbank-ecdsa'
import {
  CHARGE_REFERENCE,
  createStarkKeys,
  DEPOSIT_ID,
  depositOf,
  okReply,
  openStarkFixture,
  pullRequestOf,
  SENT_ID,
  SUBSCRIPTION_ID,
  starkErrorReply,
  subscriptionOf,
  TRANSFER_ID,
  transferOf,
} from '../support/stark-fixture.ts'

const bankKeys = createStarkKeys()
const otherKeys = createStarkKeys()

const eventOf = (subscription: string, log: object) =>
  JSON.stringify({
    event: {
      id: '6234355449987072',
      workspaceId: '4848484848484848',
      subscription,
      log: { id: '5648419829841920', errors: [], created: '2026-01-10T12:00:00+00:00', ...log },
      created: '2026-01-10T12:00:00+00:00',
    },
  })
const depositEvent = eventOf('deposit', { type: 'credited', deposit: depositOf() })

/** Signs as Stark Bank does, by its own library. */
const sign = (body: string, { privatePem } = bankKeys) =>
  Ecdsa.sign(body, PrivateKey.fromPem(privatePem)).toBase64()

const notificationOf = (body: string, signature: string | undefined = sign(body)) => ({
  body,
  headers: { 'digital-signature': signature },
  secret: null,
})
const keysReply = (...keys: { publicPem: string }[]) =>
  okReply({ publicKeys: keys.map(({ publicPem: content }) => ({ content })), cursor: null })

async function openSigned(now?: () => number) {
  const story = await openStarkFixture(now && { now })
  story.scripted.scriptReplies('GET /v2/public-key', keysReply(bankKeys))
  return story
}

test('a deposit of a code is a payment of its charge', async () => {
  await using story = await openSigned()
  expect(await story.provider.readNotification(notificationOf(depositEvent))).toEqual({
    kind: 'items',
    items: [
      { kind: 'payment', reference: CHARGE_REFERENCE, endToEnd: `deposit/${DEPOSIT_ID}`, raw: depositEvent },
    ],
  })
})

test('a deposit without a code names no charge, whatever its payer wrote', async () => {
  await using story = await openSigned()
  const body = eventOf('deposit', { type: 'created', deposit: depositOf({ tags: [CHARGE_REFERENCE] }) })
  expect(await story.provider.readNotification(notificationOf(body))).toMatchObject({
    items: [{ kind: 'payment', reference: null, endToEnd: `deposit/${DEPOSIT_ID}` }],
  })
})

test('a reversal is about the refunds of its deposit', async () => {
  await using story = await openSigned()
  const body = eventOf('deposit', { type: 'reversed', deposit: depositOf({ amount: 0 }) })
  expect(await story.provider.readNotification(notificationOf(body))).toMatchObject({
    items: [{ kind: 'refund', reference: null, endToEnd: `deposit/${DEPOSIT_ID}` }],
  })
})

test.each([
  ['its external id', transferOf()],
  ['its tag', transferOf({ externalId: undefined })],
])('a transfer is known by %s', async (_name, transfer) => {
  await using story = await openSigned()
  const body = eventOf('transfer', { type: 'success', transfer })
  expect(await story.provider.readNotification(notificationOf(body))).toMatchObject({
    items: [{ kind: 'transfer', reference: TRANSFER_ID, endToEnd: `transfer/${SENT_ID}` }],
  })
})

test.each([
  ['a recurrence', 'subscription', subscriptionOf(), { kind: 'recurrence', reference: SUBSCRIPTION_ID }],
  ['a try of a debit', 'request', pullRequestOf(), { kind: 'payment', reference: CHARGE_REFERENCE }],
])('an event of %s names it', async (_name, field, entity, item) => {
  await using story = await openSigned()
  const body = eventOf(`invoice-pull-${field}`, { type: 'created', reason: '', [field]: entity })
  expect(await story.provider.readNotification(notificationOf(body))).toMatchObject({
    items: [{ ...item, endToEnd: null }],
  })
})

test('a try of a debit of another system is nothing of ours', async () => {
  await using story = await openSigned()
  const body = eventOf('invoice-pull-request', { type: 'created', request: pullRequestOf({ tags: [] }) })
  expect(await story.provider.readNotification(notificationOf(body))).toEqual({ kind: 'items', items: [] })
  expect(story.recorded).toEqual([])
})

test.each([
  ['another body', notificationOf(`${depositEvent} `, sign(depositEvent))],
  ['another key', notificationOf(depositEvent, sign(depositEvent, otherKeys))],
  ['no signature', { ...notificationOf(depositEvent), headers: {} }],
  ['a text for a signature', notificationOf(depositEvent, 'something is definitely wrong')],
  ['half a signature', notificationOf(depositEvent, sign(depositEvent).slice(0, 40))],
])('%s is forged', async (_name, notification) => {
  await using story = await openSigned()
  expect(await story.provider.readNotification(notification)).toEqual({ kind: 'forged' })
})

test('the keys are requested once, and again for a signature of a new key', async () => {
  let nowMs = 0
  await using story = await openSigned(() => nowMs)
  const requests = () => story.scripted.calls().length
  for (const _ of [1, 2, 3]) await story.provider.readNotification(notificationOf(depositEvent))
  expect(requests()).toBe(1)
  story.scripted.scriptReplies('GET /v2/public-key', keysReply(otherKeys, bankKeys))
  const byNewKey = notificationOf(depositEvent, sign(depositEvent, otherKeys))
  expect(await story.provider.readNotification(byNewKey)).toEqual({ kind: 'forged' })
  expect(requests()).toBe(1)
  nowMs = 60_000
  expect(await story.provider.readNotification(byNewKey)).toMatchObject({ kind: 'items' })
  expect(await story.provider.readNotification(notificationOf(depositEvent))).toMatchObject({ kind: 'items' })
  expect(requests()).toBe(2)
})

test.each([
  ['without keys', starkErrorReply('internalServerError', 500)],
  ['that lists none', keysReply()],
])('a provider %s gives no answer, so that the notification comes again', async (_name, reply) => {
  await using story = await openStarkFixture()
  story.scripted.scriptReplies('GET /v2/public-key', reply)
  expect(await story.provider.readNotification(notificationOf(depositEvent))).toMatchObject({
    kind: 'no_answer',
  })
})

test('an event of another kind has no items and is recorded', async () => {
  await using story = await openSigned()
  const body = eventOf('constructor', { boleto: {} })
  expect(await story.provider.readNotification(notificationOf(body))).toEqual({ kind: 'items', items: [] })
  expect(story.recorded).toMatchObject([{ kind: 'unlisted_value', name: 'constructor' }])
})

test.each([
  ['no event', '{}'],
  ['no JSON', 'x'],
  ['a deposit without an id', eventOf('deposit', { type: 'created', deposit: depositOf({ id: undefined }) })],
  ['an id of another form', eventOf('deposit', { type: 'created', deposit: depositOf({ id: '../x' }) })],
  ['no transfer', eventOf('transfer', { type: 'success' })],
  ['no recurrence', eventOf('invoice-pull-subscription', { type: 'active', subscription: 'x' })],
  ['no try', eventOf('invoice-pull-request', { type: 'failed' })],
])('%s is unreadable and recorded', async (_name, body) => {
  await using story = await openSigned()
  expect(await story.provider.readNotification(notificationOf(body))).toEqual({ kind: 'unreadable' })
  expect(story.recorded).toMatchObject([{ operation: 'readNotification', kind: 'unreadable_answer' }])
})
