import { expect, test } from '@jest/globals'
import { AUTOMATIC_PIX_EVENTS, REGISTERED_EVENTS } from '../../../src/providers/woovi/notifications.ts'
import {
  END_TO_END,
  okReply,
  openWooviFixture,
  pageOf,
  REFERENCE,
  RETURN_ID,
  refundOf,
  transactionOf,
  UNEXPLAINED_REPLIES,
} from '../support/woovi-fixture.ts'

const ACCOUNTS = 'GET /api/v1/account/'
const KEYS = 'GET /api/v1/pix-keys'
const MOVED = 'GET /api/v1/transaction'
const SENT = 'GET /api/v1/payment'
const REFUNDED = 'GET /api/v1/refund'
const LIST = 'GET /api/v1/webhook'
const CREATE = 'POST /api/v1/webhook'
const from = '2026-01-10T00:00:00.000Z'
const to = '2026-01-10T23:59:59.999Z'

const balance = { total: 10_350, blocked: 350, available: 10_000 }
const otherBalance = { total: 1, blocked: 0, available: 1 }
const balanceOutcome = { kind: 'found', balance: { availableCents: 10_000, blockedCents: 350 } }

test('a balance is that of the only account', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(ACCOUNTS, okReply({ accounts: [{ accountId: 'a1', balance }] }))
  expect(await story.provider.balances()).toEqual(balanceOutcome)
})

test('a balance is that of the account that the AppID is linked to, on any page, and not of the default', async () => {
  await using story = await openWooviFixture()
  const pages = [
    pageOf('accounts', [{ accountId: 'a1', isDefault: true, balance: otherBalance }], true),
    pageOf('accounts', [{ accountId: 'a2', isDefault: false, balance }]),
  ].map(page => okReply(page))
  story.scripted.scriptReplies(ACCOUNTS, ...pages, ...pages)
  story.scripted.scriptReplies(KEYS, okReply({ account: { accountId: 'a2' } }))
  expect(await story.provider.balances()).toEqual(balanceOutcome)
})

test.each([
  ['no account', []],
  ['two accounts, and no other list that tells which', [{ balance }, { balance }]],
  ['no amount', [{ accountId: 'a1', balance: { ...balance, available: '1.00' } }]],
])('%s has no balance', async (_name, accounts) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(ACCOUNTS, okReply({ accounts }))
  expect(await story.provider.balances()).toMatchObject({ kind: 'no_answer' })
})

test.concurrent.each(UNEXPLAINED_REPLIES)(
  'balance, statement and registration: %s is no answer',
  async (_name, reply) => {
    await using story = await openWooviFixture({ reply })
    story.scripted.scriptReplies(ACCOUNTS, reply)
    story.scripted.scriptReplies(MOVED, okReply(pageOf('transactions', [])))
    story.scripted.scriptReplies(SENT, reply)
    story.scripted.scriptReplies(LIST, reply)
    const answers = await Promise.all([
      story.provider.balances(),
      story.provider.statement(from, to),
      story.provider.registerNotificationUrl('https://trilho.test/n', null),
    ])
    expect(answers).toMatchObject(Array(3).fill({ kind: 'no_answer' }))
  },
)

const refund = { value: 100, status: 'CONFIRMED', time: '2026-01-10T12:00:00.000Z' }
const time = '2026-01-10T12:00:00.000Z'
const sent = (correlationID: string, endToEndId: string | undefined, status = 'CONFIRMED') => ({
  payment: { correlationID, value: 700, status },
  ...(endToEndId ? { transaction: { value: 700, endToEndId, time } } : {}),
})

test('a statement contains received, refunded, sent and returned amounts', async () => {
  await using story = await openWooviFixture()
  const withdrawal = { charge: null, value: 700, time }
  story.scripted.scriptReplies(
    MOVED,
    okReply(
      pageOf('transactions', [
        transactionOf(),
        transactionOf({ ...withdrawal, endToEndId: 'E1', refunds: [{ ...refund, endToEndId: 'D6' }] }),
        transactionOf({ ...withdrawal, endToEndId: 'D6', type: 'REFUND', value: 100 }),
        transactionOf({ ...withdrawal, endToEndId: RETURN_ID, type: 'REFUND', value: 500 }),
        transactionOf({ ...withdrawal, endToEndId: 'D2', type: 'REFUND', value: 300 }),
        transactionOf({ ...withdrawal, endToEndId: 'E3', type: 'WITHDRAW' }),
        transactionOf({ ...withdrawal, endToEndId: 'E4', status: 'REJECTED' }),
        transactionOf({ ...withdrawal, endToEndId: 'E5', time: '2026-01-09T12:00:00.000Z' }),
      ]),
    ),
  )
  story.scripted.scriptReplies(
    SENT,
    okReply(pageOf('payments', [sent('send1', 'E1'), sent('send2', undefined, 'QUASE')])),
  )
  story.scripted.scriptReplies(REFUNDED, okReply(pageOf('refunds', [refundOf()])))
  expect(await story.provider.statement(from, to)).toEqual({
    kind: 'found',
    entries: [
      {
        endToEnd: END_TO_END,
        reference: REFERENCE,
        direction: 'IN',
        cents: 1234,
        at: '2026-01-10T11:59:30.500Z',
      },
      { endToEnd: 'E1', reference: 'send1', direction: 'OUT', cents: 700, at: time },
      { endToEnd: 'D6', reference: 'send1', direction: 'IN', cents: 100, at: time, returnOf: 'E1' },
      { endToEnd: RETURN_ID, reference: 'refund1', direction: 'OUT', cents: 500, at: time },
      { endToEnd: 'E3', reference: null, direction: 'OUT', cents: 700, at: time },
    ],
    accountEntries: [{ id: 'D2', kind: 'unlisted', type: 'REFUND', cents: 300, at: time, endToEnd: 'D2' }],
  })
  const requests = story.scripted
    .calls()
    .map(({ path }) => Object.fromEntries(new URL(path, story.scripted.url).searchParams))
  expect(requests[0]).toEqual({ start: from, end: to, skip: '0', limit: '100' })
  expect(requests[1]).toMatchObject({ start: '2026-01-08T00:00:00.000Z', end: to })
})

test('a return by the provider itself after a dispute is an outgoing entry, also of an old PIX', async () => {
  await using story = await openWooviFixture()
  const withdrawal = { charge: null, value: 400, time, type: 'REFUND' }
  const given = (endToEndId: string) => [{ status: 'CONFIRMED', value: 400, time, endToEndId }]
  story.scripted.scriptReplies(
    MOVED,
    okReply(
      pageOf('transactions', [
        transactionOf({ refunds: given('D-near') }),
        transactionOf({ ...withdrawal, endToEndId: 'D-near' }),
        transactionOf({ ...withdrawal, endToEndId: 'D-old' }),
      ]),
    ),
    okReply(pageOf('transactions', [transactionOf({ endToEndId: 'E-old', refunds: given('D-old') })])),
  )
  story.scripted.scriptReplies(SENT, okReply(pageOf('payments', [])))
  story.scripted.scriptReplies(REFUNDED, okReply(pageOf('refunds', [])))
  const statement = await story.provider.statement(from, to)
  expect(statement.kind === 'found' && statement.entries.slice(1)).toEqual([
    { endToEnd: 'D-near', reference: null, direction: 'OUT', cents: 400, at: time, returnOf: END_TO_END },
    { endToEnd: 'D-old', reference: null, direction: 'OUT', cents: 400, at: time, returnOf: 'E-old' },
  ])
  const starts = story.scripted
    .calls()
    .map(({ path }) => new URL(path, story.scripted.url).searchParams.get('start'))
  // Transactions, payments and refunds of the period, then the older transactions and payments, up to the first match.
  expect(starts.slice(3)).toEqual(['2026-01-09T00:00:00.000Z', '2026-01-07T00:00:00.000Z'])
})

/** Woovi's transactions at `times` (ISO 8601): a page of those in the requested period. */
function transactionsIn(all: { time: string }[], totalOf = (_total: number): object => ({})) {
  return (path: string) => {
    const query = new URL(path, 'https://woovi.test').searchParams
    const [start, end, skip] = [query.get('start')!, query.get('end')!, Number(query.get('skip'))]
    const matches = all.filter(({ time }) => time >= start && time <= end)
    const pageItems = matches.slice(skip, skip + 100)
    const { pageInfo, ...page } = pageOf('transactions', pageItems, skip + pageItems.length < matches.length)
    return { ...page, pageInfo: { ...pageInfo, ...totalOf(matches.length) } }
  }
}

test('the PIX of a return is searched backwards through the whole return period', async () => {
  await using story = await openWooviFixture()
  const given = [{ status: 'CONFIRMED', value: 400, time, endToEndId: 'D-old' }]
  const old = transactionOf({ endToEndId: 'E-old', refunds: given, time: '2025-10-12T00:00:00.000Z' })
  const back = transactionOf({ charge: null, value: 400, time, type: 'REFUND', endToEndId: 'D-old' })
  story.scripted.scriptReplyByPath(MOVED, transactionsIn([old, back]))
  story.scripted.scriptReplies(SENT, okReply(pageOf('payments', [])))
  story.scripted.scriptReplies(REFUNDED, okReply(pageOf('refunds', [])))
  const statement = await story.provider.statement(from, to)
  expect(statement).toMatchObject({ entries: [{ endToEnd: 'D-old', direction: 'OUT', returnOf: 'E-old' }] })
  expect(statement).not.toHaveProperty('accountEntries')
})

test('a return whose PIX is not found within the limit of requests is unlisted, and the statement is read', async () => {
  await using story = await openWooviFixture()
  const back = transactionOf({ charge: null, value: 400, time, type: 'REFUND', endToEndId: 'D-old' })
  let page = 0
  story.scripted.scriptReplyByPath(MOVED, path => {
    if (path.includes(encodeURIComponent(to))) return pageOf('transactions', [back])
    page += 1
    return pageOf('transactions', [transactionOf({ endToEndId: `E${page}` })], true)
  })
  story.scripted.scriptReplies(SENT, okReply(pageOf('payments', [])))
  story.scripted.scriptReplies(REFUNDED, okReply(pageOf('refunds', [])))
  expect(await story.provider.statement(from, to)).toEqual({
    kind: 'found',
    entries: [],
    accountEntries: [
      { id: 'D-old', kind: 'unlisted', type: 'REFUND', cents: 400, at: time, endToEnd: 'D-old' },
    ],
  })
  expect(page).toBe(1_000)
})

test('a list whose total exceeds what can be skipped is read in halves at once', async () => {
  await using story = await openWooviFixture()
  const all = ['01', '15'].map(hour =>
    transactionOf({ endToEndId: `E${hour}`, time: `2026-01-10T${hour}:00:00.000Z` }),
  )
  const rule = transactionsIn(all, total => ({ totalCount: total === 2 ? 10_101 : total }))
  story.scripted.scriptReplyByPath(MOVED, rule)
  story.scripted.scriptReplies(SENT, okReply(pageOf('payments', [])))
  story.scripted.scriptReplies(REFUNDED, okReply(pageOf('refunds', [])))
  const statement = await story.provider.statement(from, to)
  expect(statement.kind === 'found' && statement.entries).toHaveLength(2)
  expect(story.scripted.calls().filter(({ path }) => path.startsWith('/api/v1/transaction'))).toHaveLength(3)
})

test.each(['WITHDRAW', 'PAYMENT'])(
  'a recipient’s return of an old transfer is an incoming entry of that transfer, where Woovi calls it %s',
  async type => {
    await using story = await openWooviFixture()
    const given = { ...refund, endToEndId: 'D6' }
    story.scripted.scriptReplies(
      MOVED,
      okReply(
        pageOf('transactions', [transactionOf({ charge: null, type: 'REFUND', endToEndId: 'D6', time })]),
      ),
      okReply(
        pageOf('transactions', [
          transactionOf({ charge: null, type, endToEndId: 'E-old', refunds: [given] }),
        ]),
      ),
    )
    story.scripted.scriptReplies(
      SENT,
      okReply(pageOf('payments', [])),
      okReply(pageOf('payments', [sent('send1', 'E-old')])),
    )
    story.scripted.scriptReplies(REFUNDED, okReply(pageOf('refunds', [])))
    expect(await story.provider.statement(from, to)).toMatchObject({
      entries: [{ endToEnd: 'D6', reference: 'send1', direction: 'IN', returnOf: 'E-old' }],
    })
    const requests = story.scripted.calls().filter(({ path }) => path.startsWith('/api/v1/payment'))
    const starts = requests.map(({ path }) => new URL(path, story.scripted.url).searchParams.get('start'))
    expect(starts).toEqual(['2026-01-08T00:00:00.000Z', '2026-01-07T00:00:00.000Z'])
  },
)

test('an outgoing entry names the PIX that it returns, whatever the PIX says of the return’s status', async () => {
  await using story = await openWooviFixture()
  const given = ['D-timeless', 'D-early'].map(endToEndId => ({ value: 400, endToEndId }))
  const refunds = [given[0]!, { ...given[1]!, time, status: 'IN_PROCESSING' }]
  const back = (endToEndId: string) =>
    transactionOf({ charge: null, value: 400, time, type: 'REFUND', endToEndId })
  story.scripted.scriptReplies(
    MOVED,
    okReply(pageOf('transactions', [transactionOf({ refunds }), back('D-timeless'), back('D-early')])),
  )
  story.scripted.scriptReplies(SENT, okReply(pageOf('payments', [])))
  story.scripted.scriptReplies(REFUNDED, okReply(pageOf('refunds', [])))
  const statement = await story.provider.statement(from, to)
  const entry = { reference: null, direction: 'OUT', cents: 400, at: time, returnOf: END_TO_END }
  expect(statement.kind === 'found' && statement.entries.slice(1)).toEqual([
    { endToEnd: 'D-timeless', ...entry },
    { endToEnd: 'D-early', ...entry },
  ])
})

test.each(['refunds', 'the refunds of the PIX'])(
  'a refund that names the refunded PIX instead of itself, in %s, leaves that PIX incoming',
  async place => {
    await using story = await openWooviFixture()
    const named = { ...refundOf({ returnIdentification: undefined }), endToEndId: END_TO_END }
    const refunds = place === 'refunds' ? undefined : [named]
    const back = transactionOf({ charge: null, time, type: 'REFUND', endToEndId: RETURN_ID, value: 500 })
    story.scripted.scriptReplies(MOVED, okReply(pageOf('transactions', [transactionOf({ refunds }), back])))
    story.scripted.scriptReplies(SENT, okReply(pageOf('payments', [])))
    story.scripted.scriptReplies(REFUNDED, okReply(pageOf('refunds', [named])))
    expect(await story.provider.statement(from, to)).toMatchObject({
      entries: [{ endToEnd: END_TO_END, direction: 'IN' }],
    })
  },
)

test('a period without returns is read without the list of refunds', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(MOVED, okReply(pageOf('transactions', [transactionOf()])))
  story.scripted.scriptReplies(SENT, okReply(pageOf('payments', [])))
  expect(await story.provider.statement(from, to)).toMatchObject({ kind: 'found' })
})

test('a statement is read to its last page', async () => {
  await using story = await openWooviFixture()
  const two = pageOf('transactions', [transactionOf({ endToEndId: 'E2' })])
  story.scripted.scriptReplies(MOVED, okReply(pageOf('transactions', [transactionOf()], true)), okReply(two))
  story.scripted.scriptReplies(SENT, okReply(pageOf('payments', [])))
  story.scripted.scriptReplies(REFUNDED, okReply(pageOf('refunds', [])))
  const statement = await story.provider.statement(from, to)
  expect(statement.kind === 'found' && statement.entries).toHaveLength(2)
  const skipped = story.scripted
    .calls()
    .map(({ path }) => new URL(path, story.scripted.url).searchParams.get('skip'))
  expect(skipped).toEqual(['0', '1', '0'])
})

test('notifications are registered once per event, and existing ones stay', async () => {
  await using story = await openWooviFixture()
  const url = 'https://trilho.test/provider-notifications/c1'
  const there = { event: 'OPENPIX:TRANSACTION_RECEIVED', url, isActive: true }
  const off = { event: 'OPENPIX:MOVEMENT_FAILED', url, isActive: false }
  const elsewhere = { event: 'OPENPIX:MOVEMENT_CONFIRMED', url: `${url}x`, isActive: true }
  story.scripted.scriptReplies(LIST, okReply(pageOf('webhooks', [there, off, elsewhere])))
  story.scripted.scriptReplies(CREATE, okReply({ webhook: { id: 'w1' } }))
  expect(await story.provider.registerNotificationUrl(url, null)).toEqual({ kind: 'registered' })
  const requests = story.scripted.calls().slice(1)
  expect(requests.map(({ body }) => JSON.parse(body).webhook)).toMatchObject(
    [
      'OPENPIX:MOVEMENT_CONFIRMED',
      'OPENPIX:MOVEMENT_FAILED',
      'OPENPIX:MOVEMENT_REMOVED',
      'PIX_TRANSACTION_REFUND_SENT_CONFIRMED',
      'PIX_TRANSACTION_REFUND_SENT_REJECTED',
      'PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED',
      ...['CREATED', 'ACCEPTED', 'REJECTED', 'CANCELED'].map(outcome => `OPENPIX:DISPUTE_${outcome}`),
      ...AUTOMATIC_PIX_EVENTS,
    ].map(event => ({ event, url, isActive: true })),
  )
})

test('an account that is refused the webhooks of Pix Automático is connected, with a warning', async () => {
  await using story = await openWooviFixture()
  const url = 'https://trilho.test/provider-notifications/c1'
  const others = REGISTERED_EVENTS.map(event => ({ event, url, isActive: true }))
  story.scripted.scriptReplies(LIST, okReply(pageOf('webhooks', others)))
  story.scripted.scriptReplies(CREATE, { status: 400, json: { error: 'x' } })
  expect(await story.provider.registerNotificationUrl(url, null)).toEqual({
    kind: 'registered',
    warning: expect.stringContaining('Pix Automático'),
  })
})
