import { describe, expect, test } from '@jest/globals'
import {
  brcodeOf,
  CHARGE_REFERENCE,
  CODE_UUID,
  CREDIT_ID,
  DEPOSIT_ID,
  depositOf,
  NOW,
  okReply,
  openStarkFixture,
  PAYLOAD,
  starkPageOf,
  transactionOf,
  UNEXPLAINED_REPLIES,
} from '../support/stark-fixture.ts'

const order = { reference: CHARGE_REFERENCE, totalCents: 1234, expiresInSeconds: 3600, collectionKey: null }

type Story = Awaited<ReturnType<typeof openStarkFixture>>

function scriptCharge(
  { scripted }: Story,
  { codes = [brcodeOf()], deposits = [], transactions = [] }: Record<string, unknown[]> = {},
) {
  scripted.scriptReplies('GET /v2/dynamic-brcode', okReply(starkPageOf('brcodes', codes)))
  scripted.scriptReplies('GET /v2/invoice', okReply(starkPageOf('invoices', [])))
  scripted.scriptReplies('GET /v2/deposit', okReply(starkPageOf('deposits', deposits)))
  scripted.scriptReplies('GET /v2/transaction', okReply(starkPageOf('transactions', transactions)))
}

describe('issuing', () => {
  test('a charge is a dynamic BR code with our tag', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('POST /v2/dynamic-brcode', okReply({ brcodes: [brcodeOf()] }))
    expect(await story.provider.issueCharge({ ...order, message: 'Pedido 7' })).toEqual({
      kind: 'accepted',
      charge: {
        totalCents: 1234,
        txid: CODE_UUID,
        payload: PAYLOAD,
        expiresAt: '2026-01-10T12:59:00.123Z',
        pixKey: '',
        receiver: expect.objectContaining({ name: '', document: '' }),
      },
    })
    const [call] = story.scripted.calls()
    expect(JSON.parse(call!.body)).toEqual({
      brcodes: [{ amount: 1234, expiration: 3600, tags: [CHARGE_REFERENCE], displayDescription: 'Pedido 7' }],
    })
  })

  test.each([
    ['the only payer', { document: '52998224725', match: 'FULL', kind: null }, [['52998224725']]],
    [
      'a root, which Stark Bank cannot compare',
      { document: '11222333000181', match: 'ROOT', kind: null },
      [],
    ],
    [
      'a kind of payer, which Stark Bank cannot compare',
      { document: null, match: 'FULL', kind: 'COMPANY' },
      [],
    ],
  ] as const)(
    'a charge is locked only where Stark Bank compares what is asked: %s',
    async (_name, restriction, locks) => {
      await using story = await openStarkFixture()
      story.scripted.scriptReplies('POST /v2/dynamic-brcode', okReply({ brcodes: [brcodeOf()] }))
      await story.provider.issueCharge({ ...order, restriction })
      const [{ rules = [] }] = JSON.parse(story.scripted.calls()[0]!.body).brcodes
      expect(rules).toEqual(locks.map(value => ({ key: 'allowedTaxIds', value })))
    },
  )

  test('an open amount is the amount 0', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('POST /v2/dynamic-brcode', okReply({ brcodes: [brcodeOf({ amount: 0 })] }))
    const issued = await story.provider.issueCharge({ ...order, totalCents: 0 })
    expect(issued).toMatchObject({ kind: 'accepted', charge: { totalCents: 0 } })
    expect(JSON.parse(story.scripted.calls()[0]!.body).brcodes[0].amount).toBe(0)
  })

  test.each([
    ['another amount', { amount: 1235 }],
    ['another tag', { tags: ['ffffffffffffffffffffffffffffffff'] }],
    ['no payload', { id: '' }],
    ['no uuid', { uuid: undefined }],
    ['no expiration', { expiration: null }],
  ])('a code with %s is no answer to the order', async (_name, changes) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('POST /v2/dynamic-brcode', okReply({ brcodes: [brcodeOf(changes)] }))
    expect(await story.provider.issueCharge(order)).toMatchObject({
      kind: 'unknown',
      code: 'unreadable_answer',
    })
    expect(story.recorded).toHaveLength(1)
  })

  test('two codes are no answer to one order', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('POST /v2/dynamic-brcode', okReply({ brcodes: [brcodeOf(), brcodeOf()] }))
    expect(await story.provider.issueCharge(order)).toMatchObject({ kind: 'unknown' })
  })

  test.each(UNEXPLAINED_REPLIES)('%s', async (_name, reply, outcome) => {
    await using story = await openStarkFixture({ reply })
    story.scripted.scriptReplies('POST /v2/dynamic-brcode', reply)
    expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
  })
})

describe('looking up', () => {
  test('an unpaid code is open until it expires', async () => {
    let nowMs = NOW
    await using story = await openStarkFixture({ now: () => nowMs })
    scriptCharge(story)
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({
      kind: 'found',
      status: 'open',
      payments: [],
    })
    nowMs = Date.parse('2026-01-10T12:59:00.123Z')
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({ status: 'expired' })
    expect(story.scripted.calls()[0]!.path).toBe(`/v2/dynamic-brcode?tags=${CHARGE_REFERENCE}&limit=100`)
  })

  test('a paid code has the deposit that names it, with the value of its first transaction', async () => {
    await using story = await openStarkFixture()
    // A part was refunded: the deposit's own amount is what is left.
    const deposit = depositOf({ amount: 234, transactionIds: [CREDIT_ID, '6262626262626262'] })
    scriptCharge(story, { deposits: [deposit], transactions: [transactionOf()] })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({
      kind: 'found',
      status: 'completed',
      payments: [
        {
          endToEnd: `deposit/${DEPOSIT_ID}`,
          txid: CODE_UUID,
          reference: CHARGE_REFERENCE,
          cents: 1234,
          status: 'settled',
          at: '2026-01-10T11:59:31.000Z',
          payer: { name: 'Iron Bank S.A.', document: '20018183000180', bank: { ispb: '20018183' } },
        },
      ],
    })
    const transactions = story.scripted.calls().find(({ path }) => path.startsWith('/v2/transaction'))
    expect(transactions!.path).toBe(`/v2/transaction?ids=${CREDIT_ID}&limit=100`)
  })

  test('a code that was paid with another value only is open, then expired, with that payment', async () => {
    let nowMs = Date.parse('2026-01-10T12:00:00Z')
    await using story = await openStarkFixture({ now: () => nowMs })
    const transactions = [transactionOf({ amount: 1000 })]
    scriptCharge(story, { deposits: [depositOf({ amount: 1000 })], transactions })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({ status: 'open' })
    nowMs = Date.parse('2026-01-10T12:59:00.123Z')
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({
      status: 'expired',
      payments: [{ cents: 1000, status: 'settled' }],
    })
  })

  test('a code of an open amount is paid by any value', async () => {
    await using story = await openStarkFixture()
    const codes = [brcodeOf({ amount: 0 })]
    scriptCharge(story, { codes, deposits: [depositOf()], transactions: [transactionOf()] })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({ status: 'completed' })
  })

  test('a deposit that is not credited yet is in process', async () => {
    await using story = await openStarkFixture()
    scriptCharge(story, { deposits: [depositOf({ transactionIds: [] })] })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({
      payments: [{ status: 'in_process', cents: 1234 }],
    })
  })

  test('a deposit with our tag that paid no code is no payment of the charge', async () => {
    await using story = await openStarkFixture()
    const deposits = [depositOf({ id: '1', tags: [CHARGE_REFERENCE] })]
    scriptCharge(story, { deposits, transactions: [transactionOf()] })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({ status: 'open', payments: [] })
  })

  test('payments of each of two codes of the charge are found, and the oldest code is shown', async () => {
    await using story = await openStarkFixture()
    const younger = brcodeOf({ uuid: 'b', id: 'younger', created: '2026-01-10T11:59:59+00:00' })
    const second = depositOf({ id: '5', tags: ['dynamic-brcode/b', CHARGE_REFERENCE], transactionIds: ['6'] })
    scriptCharge(story, {
      codes: [younger, brcodeOf()],
      deposits: [second, depositOf()],
      transactions: [transactionOf(), transactionOf({ id: '6', source: 'deposit/5' })],
    })
    const found = await story.provider.findCharge(CHARGE_REFERENCE)
    expect(found).toMatchObject({ charge: { payload: PAYLOAD }, payments: [{}, {}] })
  })

  test.each([
    ['the credit of a deposit is not listed', { deposits: [depositOf()] }, 'payment_not_listed'],
    [
      'the credit took money away',
      { deposits: [depositOf()], transactions: [transactionOf({ amount: -5 })] },
      'payment_not_listed',
    ],
    ['a deposit is unreadable', { deposits: [depositOf({ amount: '12' })] }, 'payment_not_listed'],
    ['the only code is unreadable', { codes: [brcodeOf({ amount: null })] }, 'unreadable_answer'],
  ])('no answer where %s', async (_name, lists, code) => {
    await using story = await openStarkFixture()
    scriptCharge(story, lists)
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({ kind: 'no_answer', code })
  })

  test('a code of which only the tag of another order is known is not found', async () => {
    await using story = await openStarkFixture()
    scriptCharge(story, { codes: [brcodeOf({ tags: ['x'] })] })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toEqual({ kind: 'not_found' })
  })

  test('the pages of a list are read by its cursors', async () => {
    await using story = await openStarkFixture()
    scriptCharge(story)
    story.scripted.scriptReplies(
      'GET /v2/dynamic-brcode',
      okReply(starkPageOf('brcodes', [brcodeOf({ uuid: 'x', tags: [] })], 'next page')),
      okReply(starkPageOf('brcodes', [brcodeOf()])),
    )
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({ kind: 'found' })
    expect(story.scripted.calls()[1]!.path).toContain('cursor=next+page')
  })

  test.each([
    ['the same page again', 'again'],
    ['a cursor of another type', 7],
  ])('a list with %s has no answer', async (_name, cursor) => {
    await using story = await openStarkFixture()
    scriptCharge(story)
    story.scripted.scriptReplyByPath('GET /v2/dynamic-brcode', () => ({ brcodes: [], cursor }))
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({ kind: 'no_answer' })
  })
})

describe('cancelling', () => {
  test('a code that can still be paid is not cancelled, because Stark Bank cancels none', async () => {
    await using story = await openStarkFixture()
    scriptCharge(story)
    expect(await story.provider.cancelCharge(CHARGE_REFERENCE)).toMatchObject({
      kind: 'refused',
      code: 'charge_refused',
    })
    expect(story.scripted.calls().every(({ method }) => method === 'GET')).toBe(true)
  })

  test('a code that has expired cannot be paid any more', async () => {
    await using story = await openStarkFixture({ now: () => NOW + 3_600_000 })
    scriptCharge(story)
    expect(await story.provider.cancelCharge(CHARGE_REFERENCE)).toEqual({ kind: 'cancelled' })
  })

  test('an expired code that was paid is not cancelled', async () => {
    await using story = await openStarkFixture({ now: () => NOW + 3_600_000 })
    scriptCharge(story, { deposits: [depositOf()], transactions: [transactionOf()] })
    expect(await story.provider.cancelCharge(CHARGE_REFERENCE)).toMatchObject({ kind: 'refused' })
  })

  test('a code that is not listed is not found', async () => {
    await using story = await openStarkFixture()
    scriptCharge(story, { codes: [] })
    expect(await story.provider.cancelCharge(CHARGE_REFERENCE)).toEqual({ kind: 'not_found' })
  })
})
