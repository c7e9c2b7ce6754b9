import { describe, expect, test } from '@jest/globals'
import { keyDestination } from '../../support/transfer-destinations.ts'
import {
  ACCOUNT_ID,
  dictKeyOf,
  NOW,
  okReply,
  openStarkFixture,
  SENT_ID,
  starkErrorReply,
  starkPageOf,
  TRANSFER_ID,
  transactionOf,
  transferOf,
  UNEXPLAINED_REPLIES,
  verifiedAccountOf,
} from '../support/stark-fixture.ts'

const DOCUMENT = '52998224725'
const KEY = 'arya.stark@starkbank.com'
const order = {
  id: TRANSFER_ID,
  cents: 1050,
  destination: keyDestination(KEY),
  payerKey: null,
}
const handle = { ref: ACCOUNT_ID }
const LIST_ROUTE = 'GET /v2/verified-account'
const CREATE_ROUTE = 'POST /v2/verified-account'
const POLL_ROUTE = `GET /v2/verified-account/${ACCOUNT_ID}`
const KEY_ROUTE = 'GET /v2/dict-key/arya.stark%40starkbank.com'
const SEND_ROUTE = 'POST /v2/verified-transfer'

type Story = Awaited<ReturnType<typeof openStarkFixture>>

function scriptPreparation(
  { scripted }: Story,
  {
    existing = [],
    key = dictKeyOf(),
    created = verifiedAccountOf(),
  }: { existing?: object[]; key?: object; created?: object } = {},
) {
  scripted.scriptReplies(LIST_ROUTE, okReply(starkPageOf('accounts', existing)))
  scripted.scriptReplies(KEY_ROUTE, okReply({ key }))
  scripted.scriptReplies(CREATE_ROUTE, okReply({ accounts: [created] }))
}
const routesOf = ({ scripted }: Story) =>
  scripted.calls().map(({ method, path }) => `${method} ${path.split('?')[0]}`)

describe('preparing', () => {
  test('a key is looked up and made a verified account of its owner', async () => {
    await using story = await openStarkFixture()
    scriptPreparation(story)
    expect(await story.provider.prepareTransfer!(order)).toMatchObject({
      kind: 'prepared',
      handle: {
        ref: ACCOUNT_ID,
        receiver: { name: 'Arya Stark', document: DOCUMENT, bank: { ispb: '20018183', name: 'Stark Bank' } },
        expiresAt: new Date(NOW + 86_400_000).toISOString(),
      },
    })
    expect(routesOf(story)).toEqual([LIST_ROUTE, KEY_ROUTE, CREATE_ROUTE])
    expect(JSON.parse(story.scripted.calls()[2]!.body)).toEqual({
      accounts: [{ taxId: DOCUMENT, keyId: KEY, tags: [TRANSFER_ID] }],
    })
  })

  test('the account of an earlier preparation is used again, without another look-up of the key', async () => {
    await using story = await openStarkFixture()
    scriptPreparation(story, { existing: [verifiedAccountOf({ status: 'processing' })] })
    story.scripted.scriptReplies(POLL_ROUTE, okReply({ account: verifiedAccountOf() }))
    for (const _ of [1, 2])
      expect(await story.provider.prepareTransfer!(order)).toMatchObject({
        kind: 'prepared',
        handle: { ref: ACCOUNT_ID, receiver: { name: 'Arya Stark' } },
      })
    expect(routesOf(story)).toEqual([LIST_ROUTE, POLL_ROUTE, LIST_ROUTE, POLL_ROUTE])
  })

  test.each([
    ['of another key', { keyId: 'tony@starkbank.com' }],
    ['of another transfer', { tags: ['other'] }],
    ['that has failed', { status: 'failed' }],
    ['that was cancelled', { status: 'canceled' }],
  ])('an account %s is not used', async (_name, changes) => {
    await using story = await openStarkFixture()
    scriptPreparation(story, { existing: [verifiedAccountOf({ id: '1', ...changes })] })
    expect(await story.provider.prepareTransfer!(order)).toMatchObject({ handle: { ref: ACCOUNT_ID } })
  })

  test('an account of another owner than the order’s is not used', async () => {
    await using story = await openStarkFixture()
    const existing = [verifiedAccountOf({ id: '1', taxId: '012.345.678-90' })]
    scriptPreparation(story, { existing })
    const prepared = await story.provider.prepareTransfer!({
      ...order,
      destination: keyDestination(KEY, DOCUMENT),
    })
    expect(prepared).toMatchObject({ kind: 'prepared', handle: { ref: ACCOUNT_ID } })
  })

  test('the first preparation of an order looks no account up, and that of a named owner no key', async () => {
    await using story = await openStarkFixture()
    scriptPreparation(story)
    const first = { isFirst: true }
    expect(await story.provider.prepareTransfer!(order, first)).toMatchObject({ kind: 'prepared' })
    expect(routesOf(story)).toEqual([KEY_ROUTE, CREATE_ROUTE])
    const named = { ...order, destination: keyDestination(KEY, DOCUMENT) }
    expect(await story.provider.prepareTransfer!(named, first)).toMatchObject({
      kind: 'prepared',
      handle: { ref: ACCOUNT_ID, receiver: { name: 'Arya Stark', document: DOCUMENT } },
    })
    expect(routesOf(story).slice(2)).toEqual([CREATE_ROUTE])
    expect(await story.provider.prepareTransfer!(named, { isFirst: false })).toMatchObject({
      kind: 'prepared',
    })
    expect(routesOf(story).slice(3)).toEqual([LIST_ROUTE, CREATE_ROUTE])
  })

  test.each([
    ['another owner', { taxId: '012.345.678-90' }],
    ['another key', { keyId: 'tony@starkbank.com' }],
  ])('a created account of %s is no answer', async (_name, changes) => {
    await using story = await openStarkFixture()
    scriptPreparation(story, { created: verifiedAccountOf(changes) })
    expect(
      await story.provider.prepareTransfer!({ ...order, destination: keyDestination(KEY, DOCUMENT) }),
    ).toMatchObject({
      kind: 'no_answer',
      code: 'unreadable_answer',
    })
  })

  test('a key that is not verified as the named owner’s is refused with the reason that its look-up gives', async () => {
    await using story = await openStarkFixture()
    const taxId = '01234567890'
    scriptPreparation(story, { created: verifiedAccountOf({ taxId, status: 'failed' }) })
    const named = { ...order, destination: keyDestination(KEY, taxId) }
    expect(await story.provider.prepareTransfer!(named)).toMatchObject({
      kind: 'rejected',
      finality: 'final',
      code: 'document_mismatch',
    })
    expect(routesOf(story)).toEqual([LIST_ROUTE, CREATE_ROUTE, KEY_ROUTE])
    story.scripted.scriptReplies(KEY_ROUTE, starkErrorReply('invalidPixKey'))
    expect(await story.provider.prepareTransfer!(named)).toMatchObject({ code: 'pix_key_not_found' })
    for (const reply of [
      starkErrorReply('other'),
      okReply({ key: dictKeyOf({ taxId: '***.456.789-**' }) }),
    ]) {
      story.scripted.scriptReplies(KEY_ROUTE, reply)
      expect(await story.provider.prepareTransfer!(named)).toMatchObject({
        finality: 'other_may_help',
        code: 'pix_key_unreadable',
      })
    }
  })

  test('a masked owner is verified by the account where the order names a document, and refused otherwise', async () => {
    await using story = await openStarkFixture()
    scriptPreparation(story, { key: dictKeyOf({ taxId: '***.982.247-**' }) })
    expect(
      await story.provider.prepareTransfer!({ ...order, destination: keyDestination(KEY, DOCUMENT) }),
    ).toMatchObject({
      kind: 'prepared',
    })
    expect(await story.provider.prepareTransfer!(order)).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'document_unchecked',
    })
  })

  test('an account that is verified a moment later is waited for', async () => {
    await using story = await openStarkFixture()
    scriptPreparation(story, { created: verifiedAccountOf({ status: 'creating' }) })
    story.scripted.scriptReplies(
      POLL_ROUTE,
      okReply({ account: verifiedAccountOf({ status: 'processing' }) }),
      okReply({ account: verifiedAccountOf() }),
    )
    expect(await story.provider.prepareTransfer!(order)).toMatchObject({ kind: 'prepared' })
  })

  test('an account that is not verified within four seconds has no answer', async () => {
    await using story = await openStarkFixture()
    scriptPreparation(story, { created: verifiedAccountOf({ status: 'created' }) })
    story.scripted.scriptReplies(
      POLL_ROUTE,
      okReply({ account: verifiedAccountOf({ status: 'processing' }) }),
    )
    expect(await story.provider.prepareTransfer!(order)).toMatchObject({
      kind: 'no_answer',
      code: 'account_not_active',
    })
  })

  test('an account that fails is refused, for another provider may know the key', async () => {
    await using story = await openStarkFixture()
    scriptPreparation(story, { created: verifiedAccountOf({ status: 'failed' }) })
    expect(await story.provider.prepareTransfer!(order)).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'pix_key_unreadable',
    })
  })

  test('the published code of a key that is none is a refusal that another provider may not share', async () => {
    await using story = await openStarkFixture()
    scriptPreparation(story)
    story.scripted.scriptReplies(KEY_ROUTE, starkErrorReply('invalidPixKey'))
    expect(await story.provider.prepareTransfer!(order)).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'pix_key_not_found',
    })
  })

  const byRoute = [LIST_ROUTE, KEY_ROUTE, CREATE_ROUTE].flatMap(route =>
    UNEXPLAINED_REPLIES.map(([name, reply, outcome]) => [route, name, reply, outcome] as const),
  )
  test.each(byRoute)('%s: %s moves nothing', async (route, _name, reply, outcome) => {
    await using story = await openStarkFixture({ reply })
    scriptPreparation(story)
    story.scripted.scriptReplies(route, reply)
    const { kind } = await story.provider.prepareTransfer!(order)
    expect(kind).toBe(outcome.kind === 'rejected' && route !== LIST_ROUTE ? 'rejected' : 'no_answer')
    expect(routesOf(story)).not.toContain(SEND_ROUTE)
  })
})

describe('sending', () => {
  test('the verified account gets the money once, under our id', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(
      SEND_ROUTE,
      okReply({ transfers: [transferOf({ status: 'created', taxId: null })] }),
    )
    expect(await story.provider.sendTransfer({ ...order, message: 'Obrigado' }, handle)).toMatchObject({
      kind: 'accepted',
      payout: { status: 'in_process', cents: 1050, endToEnd: `transfer/${SENT_ID}`, receiver: null },
    })
    const [call] = story.scripted.calls()
    expect(JSON.parse(call!.body)).toEqual({
      transfers: [
        {
          amount: 1050,
          accountId: ACCOUNT_ID,
          externalId: TRANSFER_ID,
          tags: [TRANSFER_ID],
          displayDescription: 'Obrigado',
        },
      ],
    })
    expect(story.scripted.calls()).toHaveLength(1)
  })

  test('without a handle nothing is sent', async () => {
    await using story = await openStarkFixture()
    expect(await story.provider.sendTransfer(order)).toMatchObject({
      kind: 'rejected',
      code: 'preparation_expired',
    })
    expect(story.scripted.calls()).toEqual([])
  })

  test.each([
    ['another external id', { externalId: 'other' }],
    ['another amount', { amount: 1051 }],
    ['another account', { accountId: '1' }],
    ['no id of ours', { externalId: undefined, tags: [] }],
    ['a status that no text lists', { status: 'sending' }],
  ])('an answer with %s proves nothing', async (_name, changes) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(SEND_ROUTE, okReply({ transfers: [transferOf(changes)] }))
    expect(await story.provider.sendTransfer(order, handle)).toMatchObject({
      kind: 'unknown',
      code: 'unreadable_answer',
    })
    expect(story.recorded).toHaveLength(1)
  })

  test.each(['failed', 'canceled'])('a transfer that is %s at once has moved nothing', async status => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(SEND_ROUTE, okReply({ transfers: [transferOf({ status })] }))
    expect(await story.provider.sendTransfer(order, handle)).toMatchObject({
      kind: 'rejected',
      code: 'provider_rejected',
    })
  })

  test.each(UNEXPLAINED_REPLIES)('%s', async (_name, reply, outcome) => {
    await using story = await openStarkFixture({ reply })
    story.scripted.scriptReplies(SEND_ROUTE, reply)
    expect(await story.provider.sendTransfer(order, handle)).toMatchObject(outcome)
    expect(story.scripted.calls()).toHaveLength(1)
  })

  test('a handshake that fails has sent nothing', async () => {
    await using story = await openStarkFixture()
    story.scripted.resetHandshakes(1)
    expect(await story.provider.sendTransfer(order, handle)).toMatchObject({ kind: 'unreachable' })
  })
})

describe('looking up', () => {
  async function find(transfers: object[], transaction: object = transactionOf()) {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('GET /v2/transfer', okReply(starkPageOf('transfers', transfers)))
    story.scripted.scriptReplies('GET /v2/transaction/6262626262626262', okReply({ transaction }))
    const outcome = await story.provider.findTransfer({ id: TRANSFER_ID, handle })
    expect(story.scripted.calls()[0]!.path).toBe(`/v2/transfer?tags=${TRANSFER_ID}&limit=100`)
    return outcome
  }

  test('a transfer that succeeded is settled, with its recipient', async () => {
    expect(await find([transferOf()])).toMatchObject({
      kind: 'found',
      payout: {
        status: 'settled',
        cents: 1050,
        endToEnd: `transfer/${SENT_ID}`,
        at: '2026-01-10T12:00:07.000Z',
        receiver: { name: 'Arya Stark', document: DOCUMENT, account_number: '10000-0' },
        returns: [],
      },
    })
  })

  test.each([
    ['processing', 'in_process'],
    ['failed', 'rejected'],
    ['canceled', 'rejected'],
  ])('one that is %s is %s', async (status, expected) => {
    const outcome = await find([transferOf({ status })])
    expect(outcome).toMatchObject({ kind: 'found', payout: { status: expected } })
  })

  test('one that is stored and not started waits for a person', async () => {
    expect(await find([transferOf({ status: 'created' })])).toMatchObject({
      kind: 'awaiting_approval',
      code: 'awaiting_approval',
    })
  })

  test('a second transaction is its chargeback', async () => {
    const transactionIds = ['9191919191919191', '6262626262626262']
    const chargeback = { id: '6262626262626262', amount: 300, source: `transfer/${SENT_ID}/chargeback` }
    expect(await find([transferOf({ transactionIds })], transactionOf(chargeback))).toMatchObject({
      payout: {
        status: 'settled',
        returns: [
          {
            id: '6262626262626262',
            endToEnd: 'transaction/6262626262626262',
            cents: 300,
            at: '2026-01-10T11:59:31.000Z',
          },
        ],
      },
    })
    const unread = await find(
      [transferOf({ transactionIds })],
      transactionOf({ ...chargeback, amount: -300 }),
    )
    expect(unread).toMatchObject({ payout: { status: 'settled' } })
    expect(unread).not.toHaveProperty('payout.returns')
  })

  test.each([
    ['an empty list', []],
    ['a transfer of another id', [transferOf({ externalId: 'other' })]],
    ['two transfers of one id', [transferOf(), transferOf({ id: '2' })]],
    ['a status that no text lists', [transferOf({ status: 'sending' })]],
  ])('%s never proves absence', async (_name, transfers) => {
    expect(await find(transfers)).toMatchObject({ kind: 'no_answer', code: 'transfer_not_listed' })
  })

  test('an order that is not listed is sent again under the same externalId, where that is allowed', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('GET /v2/transfer', okReply(starkPageOf('transfers', [])))
    story.scripted.scriptReplies(SEND_ROUTE, okReply({ transfers: [transferOf({ status: 'processing' })] }))
    expect(await story.provider.findTransfer({ id: TRANSFER_ID, handle, order })).toMatchObject({
      kind: 'found',
      payout: { status: 'in_process', cents: 1050 },
    })
    const [, repeat] = story.scripted.calls()
    expect(JSON.parse(repeat!.body).transfers).toMatchObject([
      { externalId: TRANSFER_ID, accountId: ACCOUNT_ID },
    ])
  })

  test.each([
    ['a refusal', { status: 400, json: { errors: [{ code: 'invalidJson', message: 'no' }] } }],
    [
      'a second externalId',
      { status: 400, json: { errors: [{ code: 'duplicatedExternalId', message: 'no' }] } },
    ],
    ['an outage', { status: 500, text: 'oops' }],
  ])('%s of the repeat says nothing of the sending before it', async (_name, reply) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('GET /v2/transfer', okReply(starkPageOf('transfers', [])))
    story.scripted.scriptReplies(SEND_ROUTE, reply)
    expect(await story.provider.findTransfer({ id: TRANSFER_ID, handle, order })).toMatchObject({
      kind: 'no_answer',
    })
  })

  test('an order of which something unreadable is listed is not sent again', async () => {
    await using story = await openStarkFixture()
    const listed = transferOf({ status: 'sending' })
    story.scripted.scriptReplies('GET /v2/transfer', okReply(starkPageOf('transfers', [listed])))
    const outcome = await story.provider.findTransfer({ id: TRANSFER_ID, handle, order })
    expect(outcome).toMatchObject({ kind: 'no_answer', code: 'transfer_not_listed' })
    expect(routesOf(story)).not.toContain(SEND_ROUTE)
  })

  test.each(UNEXPLAINED_REPLIES)('%s has no answer', async (_name, reply) => {
    await using story = await openStarkFixture({ reply })
    story.scripted.scriptReplies('GET /v2/transfer', reply)
    expect(await story.provider.findTransfer({ id: TRANSFER_ID })).toMatchObject({ kind: 'no_answer' })
  })
})
